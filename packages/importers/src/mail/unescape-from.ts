const ESCAPED = Buffer.from(">From ");
const LF = 0x0a;
const GT = 0x3e;

/** Removes the `>` that an mbox writer put before lines that match `>*From ` (mboxrd; mboxo escapes only `From `). */
export function unescapeFrom(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(ESCAPED); at >= 0; at = bytes.indexOf(ESCAPED, at + 1)) {
    const start = findQuoteStart(bytes, at);
    if (start > 0 && bytes[start - 1] !== LF) continue;
    kept.push(bytes.subarray(from, start));
    from = start + 1;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}

function findQuoteStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && bytes[start - 1] === GT) start -= 1;
  return start;
}
