import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind, KindFile } from "../export/file-kinds.ts";
import { parseExactJson } from "../json/parse-json.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { asObject, asObjects, asText, type ExportedObject, isObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { findSibling, type GoogleChat, type GoogleContext } from "./context.ts";
import { parseWrittenTime } from "./written-time.ts";

/** A chat: its name and members, in the folder of its messages. */
export const chatGroups: FileKind<GoogleContext> = {
  noun: "group",
  path: /(?:^|\/)group_info\.json$/i,
  isOwn: (head) => /^\s*\{/.test(head) && /"(?:members|name)"\s*:/.test(head),
  *read({ value, place, file }, { chats }) {
    const chat = chats.get(posix.dirname(file.path));
    const { members } = asObject(value);
    const names = asObjects(members).flatMap(({ name, email }) => asText(name) ?? asText(email) ?? []);
    if (!chat) return;
    const kind = /^DM\b/i.test(posix.basename(posix.dirname(file.path))) ? "direct" : "space";
    yield toRecordItem("chats", place, { id: joinKey(chat.id), name: chat.name, kind, members: names });
  },
};

/** The messages of a chat. */
export const chatMessages: FileKind<GoogleContext> = {
  noun: "message",
  path: /(?:^|\/)messages\.json$/i,
  isOwn: (head) => /^\s*\{\s*"messages"\s*:\s*\[/.test(head) && /"created_date"\s*:/.test(head),
  list: "messages",
  read: readMessage,
};

/** The account's own entry, which has nothing but memberships. */
export const chatUsers: FileKind<GoogleContext> = {
  noun: "user",
  path: /(?:^|\/)user_info\.json$/i,
  isOwn: (head) => /"membership_info"\s*:/.test(head),
  *read() {},
};

const INFO_MAX_BYTES = 4 * 1024 * 1024;

/** Reads the names of all chats: a chat without a name is named by its members. */
export async function readChats(found: readonly KindFile<GoogleContext>[]): Promise<Map<string, GoogleChat>> {
  const chats = new Map<string, GoogleChat>();
  for (const { file, kind } of found) {
    const folder = posix.dirname(file.path);
    const id = posix.basename(folder);
    if (kind === chatMessages && !chats.has(folder)) chats.set(folder, { id });
    if (kind !== chatGroups || file.size_bytes > INFO_MAX_BYTES) continue;
    const info = parseExactJson((await buffer(file.open())).toString());
    chats.set(folder, { id, name: nameChat(asObject(info)) });
  }
  return chats;
}

function nameChat({ name, members }: ExportedObject): string | undefined {
  const names = asObjects(members).flatMap((member) => asText(member.name) ?? asText(member.email) ?? []);
  return asText(name) ?? asText(names.join(", "));
}

async function* readMessage(
  { value, place, file }: JsonElement,
  context: GoogleContext,
): AsyncGenerator<ImportedItem> {
  const message = asObject(value);
  const creator = asObject(message.creator);
  const written = asText(message.created_date);
  const message_id = asText(message.message_id);
  if (!isObject(value) || (written === undefined && message_id === undefined)) {
    yield { kind: "rejected", place, reason: "Not a message: it has neither an id nor a date." };
    return;
  }
  const folder = posix.dirname(file.path);
  const chat = context.chats.get(folder) ?? { id: posix.basename(folder) };
  const sender = asText(creator.name) ?? asText(creator.email);
  const { source } = context;
  const files = await Promise.all(
    asObjects(message.attached_files).map(async ({ original_name, export_name }) => {
      const name = asText(original_name) ?? asText(export_name) ?? "file";
      return { name, entry: await findFile(context, file, asText(export_name) ?? name) };
    }),
  );
  const quoted = asText(asObject(asObject(message.quoted_message_metadata).message_id).message_id);
  yield* yieldWithFiles(source, {
    stream: "messages",
    place,
    key: [chat.id, message_id ?? `${written} ${sender}`],
    shared: {
      chat_id: joinKey(chat.id),
      chat: chat.name,
      sender,
      sent_at: toTime(written, source.time_zone),
    },
    data: {
      sender_id: asText(creator.email),
      sender_kind: asText(creator.user_type),
      edited_at: toTime(asText(message.updated_date), source.time_zone),
      text: asText(message.text) ?? (message.deletion_metadata ? "(deleted)" : undefined),
      kind: "message",
      topic_id: asText(message.topic_id),
      reply_to_id: quoted === undefined ? undefined : joinKey(chat.id, quoted),
      links: listLinks(message),
      reactions: asObjects(message.reactions).map(({ emoji, reactor_emails }) => ({
        emoji: asText(asObject(emoji).unicode) ?? asText(emoji),
        count: Array.isArray(reactor_emails) ? reactor_emails.length : undefined,
      })),
    },
    files,
  });
}

/** In file names, `_` replaces characters that are not allowed there. */
async function findFile(context: GoogleContext, file: JsonElement["file"], name: string) {
  const written = name.replaceAll(/[?*:"<>|\\]/g, "_");
  return (await findSibling(context, file, name)) ?? (await findSibling(context, file, written));
}

function toTime(written: string | undefined, time_zone: string | undefined): string | undefined {
  const timeMs = written === undefined ? undefined : parseWrittenTime(written, time_zone);
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

function listLinks({ annotations }: ExportedObject): string[] {
  return asObjects(annotations).flatMap(({ url_metadata }) => {
    const { url } = asObject(url_metadata);
    return asText(url) ?? asText(Object.values(asObject(url))[0]) ?? [];
  });
}
