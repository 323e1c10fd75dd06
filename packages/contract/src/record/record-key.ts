import { canonicalKey, countChars, findLoneSurrogate, fitsAnId, RECORD_ID_MAX_CHARS } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";

const CONTROL = /\p{Cc}/u;

/** The canonical text of a key of `parts` fields; throws `invalid_key` with the rule that it breaks. */
export function requireKey(key: string | readonly string[], parts: number): string {
  const given = typeof key === "string" ? 1 : key.length;
  if (typeof key === "string" ? parts !== 1 : parts === 1 || given !== parts) {
    refuse(parts === 1 ? "must be a string" : `must be a list of ${parts} strings`);
  }
  const text = canonicalKey(key);
  const fault = findFault(text, [key].flat());
  return fault === undefined ? text : refuse(fault);
}

/** Whether a text is a valid record key. */
export function isKey(text: string): boolean {
  return findFault(text, [text]) === undefined;
}

function findFault(text: string, parts: readonly string[]): string | undefined {
  if (text === "") return "is empty";
  if (parts.some((part) => findLoneSurrogate(part) !== undefined)) return "is not valid Unicode";
  if (parts.some((part) => CONTROL.test(part))) return "has a control character";
  if (countChars(text) > RECORD_ID_MAX_CHARS) return `is longer than ${RECORD_ID_MAX_CHARS} characters`;
  return fitsAnId(text)
    ? undefined
    : "is too long for its characters: make it shorter, or use a digest of it";
}

function refuse(rule: string): never {
  throw new ApiError("invalid_key", { param: "key", message: `key ${rule}.` });
}
