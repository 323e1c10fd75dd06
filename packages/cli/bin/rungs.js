#!/usr/bin/env node
/** Starts the program: from its sources in a checkout, else from the bundle. Parses on old versions of Node, to report that they are too old. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import module from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The least version of Node, as the package declares it: such as ">=22.23". */
const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = engines.node.match(/\d+/g).map(Number);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const isImport = process.argv[2] === "import";
/** How long an interrupted import may take to end by itself. */
const GRACE_MS = 900;
/** How many files of one import may take too long before it fails. */
const MAX_STUCK = 100;
/** Node 22 warns that stripping types is experimental. */
const SOURCE_FLAGS = ["--conditions=rungs-source", "--disable-warning=ExperimentalWarning"];
const isOld = major < needed[0] || (major === needed[0] && minor < needed[1]);
const ownNode = isOld ? findOwnNode() : process.execPath;

if (ownNode === undefined) {
  const found = process.versions.node;
  console.error(
    `rungs needs Node ${needed.join(".")} or newer, and this is Node ${found}: see https://nodejs.org.`,
  );
  process.exitCode = 1;
} else if (existsSync(source) || isImport) {
  // An import runs in a process that can be ended whatever it is doing: batches are stored completely or not at all.
  const inCheckout = existsSync(source);
  const bundle = fileURLToPath(new URL("../dist/bundle/main.js", import.meta.url));
  const stuckFolder = isImport ? mkdtempSync(join(tmpdir(), "rungs-import-")) : undefined;
  const stuckFile = stuckFolder && join(stuckFolder, "stuck.json");
  /** Where earlier runs of this import were stuck: each entry skips the rest of one file. */
  const stuck = [];
  let program = start();
  let [wasEnded, wasInterrupted] = [false, false];
  const endSoon = () => {
    wasInterrupted = true;
    if (!isImport) return;
    setTimeout(() => {
      wasEnded = program.exitCode === null && program.kill("SIGKILL");
    }, GRACE_MS).unref();
  };
  // A terminal sends Ctrl-C to both processes. Forwarded, it would count twice, and the second one aborts a clean stop.
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) program.kill("SIGINT");
    endSoon();
  });
  process.on("SIGTERM", () => {
    program.kill("SIGTERM");
    endSoon();
  });

  function start() {
    const watched = { RUNGS_IMPORT_STUCK_FILE: stuckFile, RUNGS_IMPORT_STUCK: JSON.stringify(stuck) };
    const env = { ...(inCheckout ? withCache(process.env) : process.env), ...(isImport ? watched : {}) };
    const flags = inCheckout ? [...SOURCE_FLAGS, source] : [bundle];
    const started = spawn(ownNode, [...flags, ...process.argv.slice(2)], { stdio: "inherit", env });
    started.on("exit", end);
    return started;
  }

  function end(code) {
    if (stuckFile && existsSync(stuckFile) && !wasInterrupted && stuck.length < MAX_STUCK) {
      stuck.push(JSON.parse(readFileSync(stuckFile, "utf8")));
      rmSync(stuckFile);
      program = start();
      return;
    }
    if (stuckFolder) rmSync(stuckFolder, { recursive: true, force: true });
    process.exitCode = code ?? 1;
    if (wasEnded)
      console.error("rungs: Interrupted. What was stored stays. Run the same command again to resume.");
  }
} else {
  module.enableCompileCache(findCacheFolder(process.env));
  await import("../dist/bundle/main.js");
}

/** The Node that `npm ci` installs in a checkout: hosts start the machine's own Node, which may be older. */
function findOwnNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const file = fileURLToPath(new URL(`../../../node_modules/node/bin/${name}`, import.meta.url));
  return existsSync(file) && existsSync(source) ? file : undefined;
}

/** Stripping types is most of the cost of a short command: cache the compiled code beside the packages. */
function withCache(env) {
  const folder = fileURLToPath(new URL("../../../node_modules/.cache/rungs", import.meta.url));
  return { NODE_COMPILE_CACHE: folder, ...env };
}

/** Where V8 keeps compiled code: a folder of this user. Node's default is in the folder for temporary files, which others write to. */
function findCacheFolder(env) {
  if (process.platform === "win32")
    return join(env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "rungs", "Cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "rungs");
  return join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "rungs");
}
