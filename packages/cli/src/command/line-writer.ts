/**
 * Writes log lines without ever blocking on their reader. Node writes to a pipe synchronously: a server whose log
 * nobody reads would block at its next line, and a write per line costs more than the request that it logs.
 */
import { write as writeFile } from "node:fs";

/** Once this many bytes are unread, further lines are dropped and counted. */
const HELD_MAX_BYTES = 1024 ** 2;
const RETRY_MS = 50;

/** Writes a line to a file descriptor, in order. */
export type LineWriter = (line: string) => void;

/** Creates a writer for a file descriptor. The process does not end by itself before its lines are written. */
export function createLineWriter(fd: number): LineWriter {
  let held: string[] = [];
  let held_bytes = 0;
  let dropped = 0;
  let isWriting = false;

  function takeHeld(): Buffer {
    const lines = dropped > 0 ? [...held, `{"dropped_lines":${dropped}}\n`] : held;
    [held, held_bytes, dropped] = [[], 0, 0];
    return Buffer.from(lines.join(""));
  }

  function flush(): void {
    if (held.length > 0) write(takeHeld());
    else isWriting = false;
  }

  function write(bytes: Buffer): void {
    writeFile(fd, bytes, (error, written) => {
      if (error && error.code !== "EAGAIN") return flush();
      const rest = bytes.subarray(error ? 0 : written);
      if (rest.length === 0) flush();
      else setTimeout(() => write(rest), error ? RETRY_MS : 0);
    });
  }

  return (line) => {
    const size = Buffer.byteLength(line) + 1;
    if (held_bytes + size > HELD_MAX_BYTES) {
      dropped += 1;
      return;
    }
    held.push(`${line}\n`);
    held_bytes += size;
    if (isWriting) return;
    isWriting = true;
    // One write flushes all lines of this turn of the event loop.
    setImmediate(flush);
  };
}
