/** `tee.ts FILE COMMAND ARG…`: runs a program on our standard streams and keeps a copy of what it writes. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [file = "", command = "", ...args] = process.argv.slice(2);
const program = spawn(command, args, { stdio: ["inherit", "pipe", "inherit"] });
program.stdout.on("data", (chunk: Buffer) => {
  appendFileSync(file, chunk);
  process.stdout.write(chunk);
});
program.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => program.kill(signal));
