import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import type { FoundExport } from "../importer.ts";
import { listMentions } from "./media.ts";
import { parseStamp } from "./stamp.ts";

/** Finds the chats among files, at any depth, each with the files beside it that it mentions. They are one export. */
export async function findChatExports(files: Files): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  const chats = await findChats(entries);
  if (chats.length === 0) return [];
  const paths = new Set(chats.map(({ entry }) => entry.path));
  for (const { entry } of chats) {
    const folder = folderOf(entry);
    const beside = entries.filter((each) => !paths.has(each.path) && folderOf(each) === folder);
    if (beside.length === 0) continue;
    const mentioned = await listMentions(entry);
    for (const { path } of beside) if (mentioned.has(path.slice(folder.length))) paths.add(path);
  }
  const unsure = chats.find(({ is_sure }) => !is_sure);
  const reason = "its lines begin with times and names, as in a chat";
  return [
    unsure
      ? { root: "", confidence: "guess", reason: `${reason}, after other lines`, paths: [...paths] }
      : { root: "", confidence: "structure", reason, paths: [...paths] },
  ];
}

/** The text files that are chats, by their beginning. */
export async function requireChatFiles(files: Files, label: string): Promise<FileEntry[]> {
  const chats = await findChats(await listEntries(files));
  if (chats.length === 0) throw refuseFiles(files, label);
  return chats.map(({ entry }) => entry);
}

function folderOf({ path }: FileEntry): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

interface FoundChat {
  readonly entry: FileEntry;
  /** Whether it begins with a message. */
  readonly is_sure: boolean;
}

/** A single file may have any name. */
async function findChats(entries: readonly FileEntry[]): Promise<FoundChat[]> {
  const chats: FoundChat[] = [];
  for (const entry of entries) {
    if (entries.length > 1 && !/\.txt$/i.test(entry.path)) continue;
    const { messages, share, is_first } = countMessages(await readHead(entry));
    const needed = is_first ? (isNamed(entry) ? 0 : MIN_MESSAGES) : MIN_LATE_MESSAGES;
    const isChat = messages >= needed && (is_first || share >= MIN_LATE_SHARE);
    if (isChat) chats.push({ entry, is_sure: is_first });
  }
  return chats;
}

/** Whether the application named the file, in any language. */
function isNamed({ path }: FileEntry): boolean {
  return /whatsapp[^/]*$|(?:^|\/)_chat\.txt$/i.test(path);
}

/** How many such lines a file with another name needs: a single one could be a log. */
const MIN_MESSAGES = 2;
/**
 * How many messages, and what share of its lines, a file needs that begins with something else: it could be a diary.
 */
const MIN_LATE_MESSAGES = 3;
const MIN_LATE_SHARE = 0.3;

/** The messages by people at the beginning of a file, their share of its lines, and whether it begins with one. */
function countMessages(head: string) {
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== "");
  const stamps = lines.map((line) => parseStamp(line));
  const layout = stamps.find((stamp) => stamp !== undefined)?.layout;
  if (layout === undefined) return { messages: -1, share: 0, is_first: false };
  const own = stamps.filter((stamp) => stamp?.layout === layout);
  const messages = own.filter((stamp) => stamp?.rest.includes(": ")).length;
  return { messages, share: own.length / lines.length, is_first: stamps[0] !== undefined };
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
