import { ApiError } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { readXml } from "../xml/xml-events.ts";

/** The texts of an XLSX file, which its cells refer to by number. */
export type SharedStrings = () => Promise<readonly string[]>;

/** The most characters of them to hold: several times as many as in the largest real workbooks. */
const STRINGS_MAX_CHARS = 128 * 1024 ** 2;

/** Reads the texts on demand, and keeps them while a sheet is being read. */
export function createSharedStrings(part: FileEntry | undefined): SharedStrings {
  let kept: WeakRef<readonly string[]> | undefined;
  return async () => {
    const known = kept?.deref();
    if (known) return known;
    const strings = part ? await readStrings(part) : [];
    kept = new WeakRef(strings);
    return strings;
  };
}

async function readStrings(part: FileEntry): Promise<readonly string[]> {
  const strings: string[] = [];
  let [text, total] = ["", 0];
  // Phonetic readings (`rPh`) are not part of the text.
  let [is_text, is_reading] = [false, false];
  await readXml(part.open(), {
    open(name) {
      if (name === "si") text = "";
      if (name === "rPh") is_reading = true;
      if (name === "t") is_text = !is_reading;
    },
    text(piece) {
      if (!is_text) return;
      total += piece.length;
      if (total > STRINGS_MAX_CHARS) throw refuse();
      text += piece;
    },
    close(name) {
      if (name === "t") is_text = false;
      if (name === "rPh") is_reading = false;
      if (name === "si") strings.push(decodeEscapes(text));
    },
  });
  return strings;
}

/** Characters that XML cannot have: `_x000D_` (ECMA-376 part 1, §22.9.2.19). */
export function decodeEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function refuse(): ApiError {
  return new ApiError("file_unreadable", {
    message: `Its texts have more than ${STRINGS_MAX_CHARS} characters together.`,
  });
}
