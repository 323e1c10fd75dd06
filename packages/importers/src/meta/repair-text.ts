/**
 * Meta writes each byte of UTF-8 as a character of Latin-1: `é` becomes `Ã©`. Repairs a string whose characters, read
 * as bytes, are UTF-8; leaves all others unchanged, such as those of newer downloads, which are correct.
 */
export function repairText(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text;
  try {
    return decoder.decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const MAX_DEPTH = 32;

/** The same value with all its strings repaired. Values deeper than any real one are dropped. */
export function repairValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return repairText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((each) => repairValue(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [repairText(name), repairValue(each, depth + 1)]),
  );
}
