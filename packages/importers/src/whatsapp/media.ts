import type { FileEntry, Files } from "../files/files.ts";

/** A file that a message names. */
export interface Media {
  readonly name: string;
  /** Undefined when the export does not have it. */
  readonly entry: FileEntry | undefined;
}

/** `<attached: 0001-PHOTO.jpg>` (iOS) and `IMG-0001.jpg (file attached)` (Android), each in the phone's language. */
const NOTES = [/<([^<>:]{2,30}):\s?([^<>]+\.\w{1,5})>/, /^([^\n]+\.\w{1,5}) \(([^()\n]{2,40})\)/];

/** The file that a message's text names: in any language if the export has it, else only in English. */
export async function findMedia(files: Files, folder: string, text: string): Promise<Media | undefined> {
  for (const note of NOTES) {
    const [, first = "", second = ""] = note.exec(text) ?? [];
    const [name, word] = note === NOTES[0] ? [second, first] : [first, second];
    if (name === "") continue;
    const entry = await files.find(`${folder}${name}`);
    if (entry || /\battached$/.test(word)) return { name, entry };
  }
  return undefined;
}
