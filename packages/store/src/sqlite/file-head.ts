import { closeSync, existsSync, openSync, readSync } from "node:fs";

const PLAIN_HEAD = "SQLite format 3\0";

/** Whether a file is a SQLite database that anybody can read: an encrypted one begins with random bytes. */
export function isPlainFile(file: string): boolean {
  return readHead(file).equals(Buffer.from(PLAIN_HEAD));
}

/** Whether a file has content that is no plain database: an encrypted one, or no database at all. */
export function isSealedFile(file: string): boolean {
  const head = readHead(file);
  return head.length === PLAIN_HEAD.length && !head.equals(Buffer.from(PLAIN_HEAD));
}

function readHead(file: string): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const head = Buffer.alloc(PLAIN_HEAD.length);
  const handle = openSync(file, "r");
  try {
    return head.subarray(0, readSync(handle, head, 0, head.length, 0));
  } finally {
    closeSync(handle);
  }
}
