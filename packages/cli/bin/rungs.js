#!/usr/bin/env node
/** Starts the program: from its sources in a checkout, else from the build. Parses on old versions of Node, to report that they are too old. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const needed = [22, 18];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  const found = process.versions.node;
  console.error(
    `rungs needs Node ${needed.join(".")} or newer, and this is Node ${found}: see https://nodejs.org.`,
  );
  process.exitCode = 1;
} else if (existsSync(source)) {
  const argv = ["--conditions=rungs-source", source, ...process.argv.slice(2)];
  const program = spawn(process.execPath, argv, { stdio: "inherit", env: withCache(process.env) });
  // A terminal sends Ctrl-C to both processes. Forwarded, it would count twice, and the second one aborts a clean stop.
  process.on("SIGINT", () => process.stdin.isTTY || program.kill("SIGINT"));
  process.on("SIGTERM", () => program.kill("SIGTERM"));
  program.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  await import("../dist/main.js");
}

/** Stripping types is most of the cost of a short command: cache the compiled code beside the packages. */
function withCache(env) {
  const folder = fileURLToPath(new URL("../../../node_modules/.cache/rungs", import.meta.url));
  return { NODE_COMPILE_CACHE: folder, ...env };
}
