import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("./line-writer.ts", import.meta.url));

/** A process that logs 10,000 lines of 200 bytes at once, and then answers on standard output. */
const PROGRAM = `
  const { createLineWriter } = await import(${JSON.stringify(FILE)});
  const write = createLineWriter(2);
  for (let at = 0; at < 10_000; at += 1) write(String(at).padEnd(200, "x"));
  setTimeout(() => { console.log("alive"); write("last"); }, 20);
`;

test("R57 a server whose log nobody reads keeps running, and drops and counts lines beyond a bound", async (context) => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM]);
  context.after(() => child.kill("SIGKILL"));
  const [first] = await once(child.stdout, "data");
  assert.equal(String(first), "alive\n");

  const pieces: Buffer[] = [];
  for await (const piece of child.stderr) pieces.push(piece);
  const lines = Buffer.concat(pieces).toString().trimEnd().split("\n");
  const kept = lines.filter((line) => /^\d+x*$/.test(line));
  assert.deepEqual(
    kept.map((line) => Number.parseInt(line, 10)),
    [...kept.keys()],
    "whole lines, in order",
  );
  const dropped = Number(/"dropped_lines":(\d+)/.exec(lines.join("\n"))?.[1]);
  assert.equal(kept.length + dropped, 10_000);
  assert.equal(lines.at(-1), "last");
});
