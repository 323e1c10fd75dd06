/** The character maps of pdf.js, which PDFs refer to by name: without them CJK text has no characters. */
import { readFile } from "node:fs/promises";

/** The same path from `src`, `dist` and the bundle: this file must stay two folders deep. */
const FOLDER = new URL("../../assets/cmaps/", import.meta.url);
/** The name comes from the PDF: validate it. */
const NAME = /^[\w-]{1,60}\.bcmap$/;

/** Creates the class through which pdf.js reads files that it needs; `onMissing` is called for each that is missing. */
export function createDataFactory(onMissing: () => void) {
  return class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      try {
        if (kind !== "cMapUrl" || !NAME.test(filename)) throw new Error("not shipped");
        return new Uint8Array(await readFile(new URL(filename, FOLDER)));
      } catch (error) {
        if (kind === "cMapUrl") onMissing();
        throw error;
      }
    }
  };
}
