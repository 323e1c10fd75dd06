/** Digests, tie-breakers and ids that the store computes. */
import { createHash, randomInt } from "node:crypto";

const PIECE_UNITS = 1 << 16;

/** The SHA-256 of a text's UTF-8, computed piece by piece so that a huge text is never encoded whole. */
export function digestText(text: string): string {
  const hash = createHash("sha256");
  for (let unit = 0; unit < text.length; ) {
    let end = Math.min(text.length, unit + PIECE_UNITS);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    hash.update(text.slice(unit, end), "utf8");
    unit = end;
  }
  return `sha256:${hash.digest("hex")}`;
}

/** A 32-bit number that orders equal hits the same way on both engines and reveals nothing: FNV-1a over the record's identity. */
export function computeTie(connection_id: string, stream: string, record_id: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${connection_id}/${stream}:${record_id}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}

const PER_MS = 4_096;
let last = 0;

/** A number that rises with time within a process and seldom collides with other processes: milliseconds and 12 random bits. */
export function createTimedId(): number {
  last = Math.max(last + 1, Date.now() * PER_MS + randomInt(PER_MS));
  return last;
}

/** The smallest id of a time. */
export function timedIdBefore(time_ms: number): number {
  return time_ms * PER_MS;
}
