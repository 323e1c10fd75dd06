import type { FileEntry, Files } from "../files/files.ts";
import { readHead, refuseFiles } from "../files/probe.ts";
import { parseStamp } from "./stamp.ts";

const PROBED_FILES = 32;

/** Whether files are a chat's export: one is called so, or all texts among them are chats. Looks into a few files only. */
export async function hasChatFiles(files: Files): Promise<boolean> {
  const candidates = (await listCandidates(files)).slice(0, PROBED_FILES);
  const chats = await findChats(candidates);
  return chats.length > 0 && (chats.length === candidates.length || chats.some(isNamed));
}

/** The text files that are chats, by how they begin. */
export async function requireChatFiles(files: Files, label: string): Promise<FileEntry[]> {
  const chats = await findChats(await listCandidates(files));
  if (chats.length === 0) throw refuseFiles(files, label);
  return chats;
}

/** A file that was named alone may be called anything. */
async function listCandidates(files: Files): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of files.list()) entries.push(entry);
  return entries.length === 1 ? entries : entries.filter(({ path }) => SHALLOW_TEXT.test(path));
}

const SHALLOW_TEXT = /^(?:[^/]+\/)?[^/]+\.txt$/i;

async function findChats(candidates: readonly FileEntry[]): Promise<FileEntry[]> {
  const chats: FileEntry[] = [];
  for (const entry of candidates) {
    if (countSaid(await readHead(entry)) >= (isNamed(entry) ? 0 : SAID_LINES)) chats.push(entry);
  }
  return chats;
}

/** As the application calls it, in any language. */
function isNamed({ path }: FileEntry): boolean {
  return /whatsapp[^/]*$|(?:^|\/)_chat\.txt$/i.test(path);
}

/** How many such lines a file of another name needs: with one it could be a log. */
const SAID_LINES = 2;

/** How many messages of people are in a file's head; -1 when it does not begin with a message. */
function countSaid(head: string): number {
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== "");
  const first = parseStamp(lines[0] ?? "");
  if (!first) return -1;
  return lines.filter((line) => parseStamp(line, first.layout)?.rest.includes(": ")).length;
}

const TITLE =
  /^(?:WhatsApp Chat (?:with|-)|WhatsApp-Chat (?:mit|-)|Chat de WhatsApp con|Chat WhatsApp con|Conversa do WhatsApp com|Discussion WhatsApp avec)\s+/i;

/** Who or what a chat is with, from the name of its file, or of the folder or archive that it is in. */
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
