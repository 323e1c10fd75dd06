import type { FileEntry, Files } from "../files/files.ts";
import { readHead, refuseFiles } from "../files/probe.ts";
import { parseStamp } from "./stamp.ts";

const PROBED_FILES = 32;

/** Whether files are a chat export: one has such a name, or all text files are chats. Looks into a few files only. */
export async function hasChatFiles(files: Files): Promise<boolean> {
  const candidates = (await listCandidates(files)).slice(0, PROBED_FILES);
  const chats = await findChats(candidates);
  return chats.length > 0 && (chats.length === candidates.length || chats.some(isNamed));
}

/** The text files that are chats, by their beginning. */
export async function requireChatFiles(files: Files, label: string): Promise<FileEntry[]> {
  const chats = await findChats(await listCandidates(files));
  if (chats.length === 0) throw refuseFiles(files, label);
  return chats;
}

/** A single file may have any name. */
async function listCandidates(files: Files): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of files.list()) entries.push(entry);
  return entries.length === 1 ? entries : entries.filter(({ path }) => SHALLOW_TEXT.test(path));
}

const SHALLOW_TEXT = /^(?:[^/]+\/)?[^/]+\.txt$/i;

async function findChats(candidates: readonly FileEntry[]): Promise<FileEntry[]> {
  const chats: FileEntry[] = [];
  for (const entry of candidates) {
    if (countMessages(await readHead(entry)) >= (isNamed(entry) ? 0 : MIN_MESSAGES)) chats.push(entry);
  }
  return chats;
}

/** Whether the file has a name that the application gives, in any language. */
function isNamed({ path }: FileEntry): boolean {
  return /whatsapp[^/]*$|(?:^|\/)_chat\.txt$/i.test(path);
}

/** How many such lines a file with another name needs: a file with one could be a log. */
const MIN_MESSAGES = 2;

/** The number of messages by people at the beginning of a file; -1 if it does not begin with a message. */
function countMessages(head: string): number {
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== "");
  const first = parseStamp(lines[0] ?? "");
  if (!first) return -1;
  return lines.filter((line) => parseStamp(line, first.layout)?.rest.includes(": ")).length;
}

const TITLE =
  /^(?:WhatsApp Chat (?:with|-)|WhatsApp-Chat (?:mit|-)|Chat de WhatsApp con|Chat WhatsApp con|Conversa do WhatsApp com|Discussion WhatsApp avec)\s+/i;

/** The name of a chat, from its file, or from the folder or archive around it. */
export function nameChat(files: Files, { path }: FileEntry): string | undefined {
  const parts = path.split("/");
  const own = parts.pop()!;
  const holder = parts.pop() ?? (files.name === own ? undefined : files.name);
  const name = own === "_chat.txt" ? holder : own;
  return name
    ?.replace(/\.(?:txt|zip)$/i, "")
    .replace(/\s*\(\d+\)$/, "")
    .replace(TITLE, "")
    .trim();
}
