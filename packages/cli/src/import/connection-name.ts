import { createHash } from "node:crypto";

const NAME_MAX_CHARS = 64;

/** The connection of files without `--connection`: always the same for the same name and format. */
export function nameConnection(format: string, file_name: string): string {
  const stem = nameExport(file_name.normalize("NFC").replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, ""));
  const plain = stem
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const short = plain.slice(0, NAME_MAX_CHARS).replace(/-$/, "");
  const name = keepsLetters(stem, short)
    ? short
    : [short, digestName(stem)].filter((segment) => segment !== "").join("-");
  return name.startsWith(format) ? name : `${format}-${name}`;
}

/** Google gives each part of each export a new name: `takeout-20260101T000000Z-1-001.zip`. All are one account. */
function nameExport(stem: string): string {
  return stem.replace(/^(takeout)-\d{8}T\d{6}Z(?:-\d{1,4})*$/i, "$1");
}

/** Whether the short name keeps every letter: two names in another script must not map to one connection. */
function keepsLetters(stem: string, short: string): boolean {
  const letters = stem.normalize("NFKD").match(/\p{L}|\p{N}/gu) ?? [];
  return letters.length === short.replaceAll("-", "").length && short !== "";
}

function digestName(stem: string): string {
  return createHash("sha256").update(stem).digest("hex").slice(0, 8);
}
