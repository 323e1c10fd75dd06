/** Finds the end of a JSON value by brackets and quotes alone, over any chunks, without holding the value. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const SCALAR_ENDS = new Set([0x09, 0x0a, 0x0d, 0x20, 0x2c, 0x5d, 0x7d]);

/** The state of a scan inside a value. */
export interface ValueScan {
  readonly scalar: boolean;
  depth: number;
  inString: boolean;
  escaped: boolean;
}

/** Starts a scan at the first byte of a value, which `scanValue` must see too. */
export function createValueScan(first: number): ValueScan {
  const scalar = first !== QUOTE && !OPENING.has(first);
  return { scalar, depth: 0, inString: false, escaped: false };
}

/** The index after the last byte of the value; undefined when the value continues after this chunk. */
export function scanValue(scan: ValueScan, chunk: Uint8Array, from: number): number | undefined {
  return scan.scalar ? scanScalar(chunk, from) : scanNested(scan, chunk, from);
}

function scanScalar(chunk: Uint8Array, from: number): number | undefined {
  for (let at = from; at < chunk.length; at += 1) {
    if (SCALAR_ENDS.has(chunk[at]!)) return at;
  }
  return undefined;
}

function scanNested(scan: ValueScan, chunk: Uint8Array, from: number): number | undefined {
  let { depth, inString, escaped } = scan;
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at]!;
    if (inString) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inString = false;
      else continue;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else continue;
    if (depth === 0 && !inString) return at + 1;
  }
  Object.assign(scan, { depth, inString, escaped });
  return undefined;
}
