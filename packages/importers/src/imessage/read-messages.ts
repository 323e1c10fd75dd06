import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { ImportedItem } from "@rungs/contract";
import { type MentionedFile, yieldWithFiles } from "../chat/message-items.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import { type SqliteRow, toText } from "../files/sqlite-scan.ts";
import type { ImportSource } from "../importer.ts";
import { joinKey, toRecordItem, withCheckpoint } from "../record-item.ts";
import {
  createFileList,
  listMessages,
  listTapbacks,
  readAppleChats,
  readChatOfMessages,
  readHandles,
} from "./tables.ts";
import { readAttributedText } from "./typedstream.ts";

/** The items of a database after a row. */
export async function* readAppleMessages(
  database: DatabaseSync,
  {
    source,
    file,
    after,
  }: { readonly source: ImportSource; readonly file: FileEntry; readonly after: number },
): AsyncGenerator<ImportedItem> {
  const handles = readHandles(database);
  const chats = readAppleChats(database, handles);
  const reactions = collectReactions(database, handles);
  const chatOf = readChatOfMessages(database);
  const listFiles = createFileList(database);
  if (after === 0) {
    for (const { key, name, kind, members } of chats.values()) {
      yield toRecordItem("chats", file.path, { id: joinKey(key), name, kind, members });
    }
  }
  for (const row of listMessages(database, after)) {
    const number = Number(row.row_id);
    const place = `${file.path}, message ${number}`;
    if (isTapback(row)) continue;
    const guid = toText(row.guid);
    if (guid === undefined) {
      yield { kind: "rejected", place, reason: "Not a message: it has no guid." };
      continue;
    }
    const chat = chats.get(chatOf.get(row.row_id) ?? 0n);
    const files = await Promise.all(listFiles(row.row_id).map((each) => findFile(source, file, each)));
    const answered = toText(row.thread_originator_guid);
    const items = yieldWithFiles(source, {
      stream: "messages",
      place,
      key: [guid],
      shared: {
        chat_id: chat && joinKey(chat.key),
        chat: chat?.name,
        sender: nameSender(row, handles),
        sent_at: toTime(row.date),
      },
      data: {
        sender_id: handles.get(row.handle_id ?? null),
        is_own: isOwn(row),
        text: renderText(row),
        kind: Number(row.item_type ?? 0) === 0 ? "message" : "system",
        service: toText(row.service),
        edited_at: toTime(row.date_edited),
        reply_to_id: answered === undefined ? undefined : joinKey(answered),
        reactions: reactions.get(guid) ?? [],
      },
      files,
    });
    yield* withCheckpoint(items, formatResume(file.path, number));
  }
}

const isOwn = ({ is_from_me }: SqliteRow) => Number(is_from_me ?? 0) === 1;
const nameSender = (row: SqliteRow, handles: ReadonlyMap<SQLOutputValue, string>) =>
  isOwn(row) ? "Me" : handles.get(row.handle_id ?? null);

/** A picture or a file is U+FFFC in the text. */
function renderText(row: SqliteRow): string | undefined {
  const body = row.attributedBody instanceof Uint8Array ? readAttributedText(row.attributedBody) : undefined;
  const text = (toText(row.text) ?? body)?.replaceAll("\ufffc", "").trim();
  const title = toText(row.group_title);
  return text || (title === undefined ? undefined : `named the conversation ${title}`);
}

const ADDED = 2000;
const REMOVED = 3000;
/** The six classic tapbacks, in the order of their numbers. */
const EMOJI = ["❤️", "👍", "👎", "😂", "‼️", "❓"];

function isTapback(row: SqliteRow): boolean {
  const type = Number(row.associated_message_type ?? 0);
  return type >= ADDED && type < REMOVED + 1000;
}

interface Reaction {
  readonly emoji: string;
  readonly sender: string | undefined;
}

/** Reactions by the message that they react to, without those that were taken back. */
function collectReactions(
  database: DatabaseSync,
  handles: ReadonlyMap<SQLOutputValue, string>,
): Map<string, Reaction[]> {
  const reactions = new Map<string, Reaction[]>();
  for (const row of listTapbacks(database)) {
    if (!isTapback(row)) continue;
    // `p:0/GUID` for a part of a message, `bp:GUID` for a balloon.
    const guid = toText(row.associated_message_guid)?.replace(/^(?:p:-?\d+\/|bp:)/, "");
    const type = Number(row.associated_message_type);
    const kind = type % 1000;
    const emoji = EMOJI[kind] ?? toText(row.associated_message_emoji) ?? "sticker";
    const sender = nameSender(row, handles);
    if (guid === undefined) continue;
    const others = (reactions.get(guid) ?? []).filter(
      (each) => each.sender !== sender || each.emoji !== emoji,
    );
    reactions.set(guid, type < REMOVED ? [...others, { emoji, sender }] : others);
  }
  return reactions;
}

/** Nanoseconds since 2001, or seconds in older versions. */
function toTime(value: SQLOutputValue | undefined): string | undefined {
  const count = Number(value ?? 0);
  if (count <= 0) return undefined;
  const timeMs = Date.UTC(2001, 0) + (count > 1e11 ? count / 1e6 : count * 1000);
  return timeMs < Date.UTC(10_000, 0) ? new Date(timeMs).toISOString() : undefined;
}

/** The path on the phone or computer ends with the path below the folder `Attachments`. */
async function findFile(source: ImportSource, database: FileEntry, row: SqliteRow): Promise<MentionedFile> {
  const path = toText(row.filename) ?? "";
  const name = toText(row.transfer_name) ?? (path.slice(path.lastIndexOf("/") + 1) || "file");
  const folder = database.path.slice(0, database.path.lastIndexOf("/") + 1);
  const inside = /(?:^|\/)(Attachments\/.*)$/.exec(path)?.[1];
  const entry = inside === undefined ? undefined : await source.files.find(`${folder}${inside}`);
  const size = Number(row.total_bytes ?? 0);
  return { name, entry, mime_type: toText(row.mime_type), size_bytes: size > 0 ? size : undefined };
}
