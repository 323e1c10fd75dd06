import { createHash } from "node:crypto";
import { cleanText } from "../clean-text.ts";

const LONGEST = 100;
/** What names of fields may not have (see the contract's rule): these separate them from each other and from values. */
const EXCLUDED = /[,=<>!\p{Cc}]/gu;
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** The field that a column or key is stored as: its own name where a field may have it, else one that is near and its own. */
export function toFieldName(name: string): string {
  const near = [...cleanText(name).replaceAll(EXCLUDED, "_").trim()].slice(0, LONGEST).join("").trim();
  if (near === name && near !== "" && !RESERVED.has(near)) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 6);
  return `${near === "" ? "column" : near}_${digest}`;
}
