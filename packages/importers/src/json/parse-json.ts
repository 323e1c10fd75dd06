const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON; undefined for invalid JSON. An integer that a JavaScript number would round stays as the text of its digits: ids
 * and account numbers are longer than 2^53.
 */
export function parseExactJson(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The source of a value comes third (ECMA-262, JSON.parse source text access), which the types do not know yet. */
function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? "";
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && String(value) !== source;
  return isRounded && INTEGER.test(source) ? source : value;
}
