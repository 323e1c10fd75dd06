import { countChars } from "@rungs/evidence";
import { isReservedName } from "./unsafe-name.ts";

/** How long a declared field name may be. */
const FIELD_NAME_MAX_CHARS = 128;

/** A comma separates names in `fields`, and the signs separate a name from its value in `filter`. */
const EXCLUDED = /[,=<>!\p{Cc}]/u;

/** Whether a stream may declare a field of this name. */
export function isFieldName(name: string): boolean {
  if (name === "" || name.trim() !== name || !name.isWellFormed() || EXCLUDED.test(name)) return false;
  return countChars(name) <= FIELD_NAME_MAX_CHARS && !isReservedName(name);
}
