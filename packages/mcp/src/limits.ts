/** How large an answer may be, in UTF-8 bytes, so that no host cuts it or spills it into a file. */

/** `structuredContent` as JSON; one host that shows nothing else cuts at 12,000. */
export const STRUCTURED_BYTES = 11_000;

/** The text block; together with `structuredContent` it stays below what the tightest host shows of both. */
export const TEXT_BYTES = 7_000;

const LONG_ID_BYTES = 500;

/** The room for the text of a page: a last record is never dropped because its id is written several times. */
export function textRoomFor(ids: readonly string[]): number {
  const [id = "", ...others] = ids;
  const bytes = Buffer.byteLength(id);
  return others.length > 0 || bytes <= LONG_ID_BYTES ? TEXT_BYTES : TEXT_BYTES + 3 * bytes;
}

/** How many bytes a value takes as JSON. */
export function countJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
