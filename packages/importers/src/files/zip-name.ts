import { type Entry, getFileNameLowLevel, validateFileName } from "yauzl";

/** Info-ZIP's extra field for a Unicode name (APPNOTE 4.6.9). */
const UNICODE_PATH = 0x7075;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The path of an entry with `/` between its segments; a folder's path ends in `/`. */
export function readZipName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const hasOwnName = extraFields.some(({ id }) => id === UNICODE_PATH);
  const name =
    (hasOwnName ? undefined : decodeUtf8(fileNameRaw)) ??
    getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
  return tidyPath(name);
}

/** A path from an archive, normalized to `/` separators and without `./`. */
export function tidyPath(name: string): string {
  return name
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/+)+/, "")
    .replaceAll(/\/(?:\.?\/)+/g, "/");
}

/** The reason why a path is unsafe; undefined for a safe one. */
export function refuseZipName(path: string): string | undefined {
  if (validateFileName(path) !== null) return "Its name leads out of the archive.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  if (/[\u0000-\u001f\u007f]/.test(path)) return "Its name has control characters.";
  return undefined;
}

/** Many programs write UTF-8 without setting the flag; text in other encodings is hardly ever valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
