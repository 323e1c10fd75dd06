import { createHash } from "node:crypto";
import { cleanText } from "../clean-text.ts";

const LONGEST = 100;
/** Characters that the contract forbids in field names: they separate names from each other and from values. */
const EXCLUDED = /[,=<>!\p{Cc}]/gu;
/** Names that every object has: `toString`, `constructor`, `__proto__`. */
const RESERVED = new Set(["prototype", ...Object.getOwnPropertyNames(Object.prototype)]);

/** The field name for a column: the same name if it is valid, else a similar unique one. */
export function toFieldName(name: string): string {
  const near = [...cleanText(name).replaceAll(EXCLUDED, "_").trim()].slice(0, LONGEST).join("").trim();
  if (near === name && near !== "" && !RESERVED.has(near)) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 6);
  return `${near === "" ? "column" : near}_${digest}`;
}
