import { createHash } from "node:crypto";

const REMEMBERED = 4096;

/**
 * Gives each message a key that it has in every later export of the chat too: made of what the file says and not of
 * how its dates were understood. Messages that are the same in all are numbered; the same minute comes again soon or
 * never, so that only the latest are remembered.
 */
export function createKeys(): (...parts: readonly string[]) => string {
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  return (...parts) => {
    const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
    const count = (recent.get(digest) ?? older.get(digest) ?? 0) + 1;
    recent.set(digest, count);
    if (recent.size >= REMEMBERED) [recent, older] = [new Map(), recent];
    return count === 1 ? digest : `${digest}-${count}`;
  };
}
