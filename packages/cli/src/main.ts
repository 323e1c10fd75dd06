import { once } from "node:events";
import { run } from "./run.ts";

const { stdout, stderr, env } = process;

// Whoever reads may stop reading, as `head` does: what it did not want is not written.
stdout.on("error", (error: Error & { code?: string }) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => stdout.write(`${text}\n`),
  err: (text) => stderr.write(`${text}\n`),
  env,
  colour: stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb",
  watch: stderr.isTTY ? (line) => stderr.write(`\r\u001b[2K${line}`) : undefined,
  write: stdout.isTTY
    ? undefined
    : async (bytes) => {
        if (!stdout.write(bytes)) await once(stdout, "drain");
      },
});
