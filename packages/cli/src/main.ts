import { once } from "node:events";
import { Exit } from "./command/exit.ts";
import { createLineWriter } from "./command/line-writer.ts";
import { run } from "./run.ts";

const { stdout, stderr, env } = process;
const watch = stderr.isTTY ? (line: string) => stderr.write(`\r\u001b[2K${line}`) : undefined;

// Node 22 warns that `node:sqlite` is experimental.
const { emitWarning } = process;
process.emitWarning = ((warning: string, ...rest: []) => {
  if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning(warning, ...rest);
}) as typeof emitWarning;

// The reader of a pipe may stop early, as `head` does.
stdout.on("error", (error: Error & { code?: string }) => {
  if (error.code === "EPIPE") process.exit(Exit.done);
  stderr.write(`rungs: Standard output cannot be written (${error.code}).\n`);
  process.exit(Exit.failed);
});

// A server has its own listener and shuts down gracefully; any other command can simply be rerun.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) > 1) return;
    watch?.("");
    stderr.write("rungs: Interrupted. Run the same command again to finish it.\n");
    process.exit(Exit.failed);
  });
}

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => stdout.write(`${text}\n`),
  err: (text) => stderr.write(`${text}\n`),
  log: createLineWriter(stderr.fd),
  env,
  colour: stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb",
  watch,
  write: stdout.isTTY
    ? undefined
    : async (bytes) => {
        if (!stdout.write(bytes)) await once(stdout, "drain");
      },
});
