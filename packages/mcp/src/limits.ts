/** How large an answer may be, in UTF-8 bytes, so that no host cuts it or spills it into a file. */

/** `structuredContent` as JSON; one host that shows nothing else cuts at 12,000. */
export const STRUCTURED_BYTES = 11_000;

/** The text block; together with `structuredContent` it stays below what the tightest host shows of both. */
export const TEXT_BYTES = 7_000;

const BOTH_BYTES = 18_000;

/** The room for the text of a page; a record that stands alone is never dropped from it because its id is long. */
export function textRoomBeside(structured: { readonly results?: unknown }): number {
  const isOne = Array.isArray(structured.results) && structured.results.length === 1;
  return isOne ? Math.max(TEXT_BYTES, BOTH_BYTES - countJson(structured)) : TEXT_BYTES;
}

/** How many bytes a value takes as JSON. */
export function countJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
