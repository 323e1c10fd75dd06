/** The files that messages mention. */
import type { FileEntry, Files } from "../files/files.ts";
import { MESSAGE_MAX_CHARS, readChatLines } from "./read-messages.ts";
import { parseStamp } from "./stamp.ts";

/** A file that a message mentions. */
export interface Media {
  readonly name: string;
  /** Undefined if the export does not have it. */
  readonly entry: FileEntry | undefined;
}

/** `<attached: 0001-PHOTO.jpg>` (iOS) and `IMG-0001.jpg (file attached)` (Android), each in the phone's language. */
const ATTACHED = /<([^<>:]{2,30}):\s?([^<>]+\.\w{1,5})>/;
const NAMED = /^([^\n]+\.\w{1,5}) \(([^()\n]{2,40})\)/;

/** The file that a message mentions: in any language if the export has it, else only in English. */
export async function findMedia(files: Files, folder: string, text: string): Promise<Media | undefined> {
  for (const { name, word } of listNames(text)) {
    const entry = await files.find(`${folder}${name}`);
    if (entry || /\battached$/.test(word)) return { name, entry };
  }
  return undefined;
}

function listNames(text: string): { readonly name: string; readonly word: string }[] {
  const [, word = "", name] = ATTACHED.exec(text) ?? [];
  const [, leading, note = ""] = NAMED.exec(text) ?? [];
  return [
    ...(name === undefined ? [] : [{ name, word }]),
    ...(leading === undefined ? [] : [{ name: leading, word: note }]),
  ];
}

/** The file names that a chat may mention, collected line by line. */
export async function listMentions(chat: FileEntry): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { text } of readChatLines(chat.open(), MESSAGE_MAX_CHARS)) {
    const line = parseStamp(text)?.rest ?? text;
    const said = line
      .slice(line.indexOf(": ") + 1)
      .replaceAll("\u200e", "")
      .trim();
    for (const { name } of listNames(said)) names.add(name);
  }
  return names;
}
