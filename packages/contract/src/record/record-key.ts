import { canonicalKey, countChars, findLoneSurrogate, fitsAnId, RECORD_ID_MAX_CHARS } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";

const CONTROL = /\p{Cc}/u;

/** The canonical text of a key of `parts` fields, or a refusal with `invalid_key` that says which rule it breaks. */
export function requireKey(key: string | readonly string[], parts: number): string {
  const given = typeof key === "string" ? 1 : key.length;
  if (typeof key === "string" ? parts !== 1 : parts === 1 || given !== parts) {
    refuse(parts === 1 ? "must be a string" : `must be a list of ${parts} strings`);
  }
  const text = canonicalKey(key);
  if (text === "") refuse("is empty");
  for (const part of [key].flat()) {
    if (findLoneSurrogate(part) !== undefined) refuse("is not valid Unicode");
    if (CONTROL.test(part)) refuse("has a control character");
  }
  if (countChars(text) > RECORD_ID_MAX_CHARS) refuse(`is longer than ${RECORD_ID_MAX_CHARS} characters`);
  if (!fitsAnId(text)) refuse("is too long for its characters: make it shorter, or use a digest of it");
  return text;
}

function refuse(rule: string): never {
  throw new ApiError("invalid_key", { param: "key", message: `key ${rule}.` });
}
