import { createHash } from "node:crypto";

const LONGEST = 64;

/** The connection that a file goes to when nobody names one: the same for the same file name and format, each time. */
export function defaultConnectionId(format: string, file_name: string): string {
  const stem = file_name.normalize("NFC").replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, "");
  const plain = stem
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const short = plain.slice(0, LONGEST).replace(/-$/, "");
  const name = saysAll(stem, short) ? short : [short, digestOf(stem)].filter((part) => part !== "").join("-");
  return name.startsWith(format) ? name : `${format}-${name}`;
}

/** Whether the letters of a name are still there; two names of another script must not become one. */
function saysAll(stem: string, short: string): boolean {
  const letters = stem.normalize("NFKD").match(/\p{L}|\p{N}/gu) ?? [];
  return letters.length === short.replaceAll("-", "").length && short !== "";
}

function digestOf(stem: string): string {
  return createHash("sha256").update(stem).digest("hex").slice(0, 8);
}
