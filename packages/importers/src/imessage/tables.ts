/** The tables of `chat.db` and `sms.db`. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { createRowFinder, listTables, type SqliteRow, scanTable, toText } from "../files/sqlite-scan.ts";

/** A chat with its people. */
export interface StoredChat {
  readonly key: string;
  readonly name: string | undefined;
  readonly kind: "group" | "direct";
  readonly members: readonly string[];
}

/** Whether a database has the tables of Messages. */
export function isMessages(database: DatabaseSync): boolean {
  const tables = listTables(database);
  return ["message", "handle", "chat", "chat_message_join"].every((name) => tables.has(name));
}

const MESSAGE_COLUMNS = [
  "guid",
  "text",
  "attributedBody",
  "handle_id",
  "service",
  "date",
  "date_edited",
  "is_from_me",
  "item_type",
  "group_title",
  "thread_originator_guid",
  "associated_message_type",
];
const TAPBACK_COLUMNS = [
  "handle_id",
  "is_from_me",
  "associated_message_guid",
  "associated_message_type",
  "associated_message_emoji",
];

/** The messages after a row, in the order of arrival. */
export function listMessages(database: DatabaseSync, after: number) {
  return scanTable(database, { table: "message", columns: MESSAGE_COLUMNS, after });
}

/** Finds all reactions to other messages. */
export function listTapbacks(database: DatabaseSync) {
  return scanTable(database, { table: "message", columns: TAPBACK_COLUMNS });
}

const FILE_COLUMNS = ["filename", "mime_type", "transfer_name", "total_bytes"];

/** Creates a function that lists the files of a message. */
export function createFileList(database: DatabaseSync): (row_id: bigint) => readonly SqliteRow[] {
  const tables = listTables(database);
  if (!tables.has("attachment") || !tables.has("message_attachment_join")) return () => [];
  const joined = collectPairs(database, "message_attachment_join", ["message_id", "attachment_id"]);
  const find = createRowFinder(database, "attachment", FILE_COLUMNS);
  return (row_id) => (joined.get(row_id) ?? []).map(find).filter((row) => row !== undefined);
}

/** The chat of each message, by rows; of several, the first. */
export function readChatOfMessages(database: DatabaseSync): Map<bigint, bigint> {
  const chats = new Map<bigint, bigint>();
  const columns = ["chat_id", "message_id"];
  for (const { chat_id, message_id } of scanTable(database, { table: "chat_message_join", columns })) {
    if (typeof chat_id !== "bigint" || typeof message_id !== "bigint") continue;
    const known = chats.get(message_id);
    if (known === undefined || chat_id < known) chats.set(message_id, chat_id);
  }
  return chats;
}

/** Addresses of people by their row. */
export function readHandles(database: DatabaseSync): Map<SQLOutputValue, string> {
  const handles = new Map<SQLOutputValue, string>();
  for (const { row_id, id } of scanTable(database, { table: "handle", columns: ["id"] })) {
    const address = toText(id);
    if (address !== undefined) handles.set(row_id, address);
  }
  return handles;
}

const GROUP_STYLE = 43n;

/** Chats by their row. */
export function readAppleChats(
  database: DatabaseSync,
  handles: ReadonlyMap<SQLOutputValue, string>,
): Map<bigint, StoredChat> {
  const hasMembers = listTables(database).has("chat_handle_join");
  const members = hasMembers
    ? collectPairs(database, "chat_handle_join", ["chat_id", "handle_id"])
    : new Map();
  const columns = ["guid", "chat_identifier", "display_name", "style"];
  const chats = new Map<bigint, StoredChat>();
  for (const row of scanTable(database, { table: "chat", columns })) {
    const people = ((members.get(row.row_id) ?? []) as bigint[]).flatMap((id) => handles.get(id) ?? []);
    const identifier = toText(row.chat_identifier);
    const isGroup = row.style === GROUP_STYLE || people.length > 1;
    chats.set(row.row_id, {
      key: toText(row.guid) ?? identifier ?? String(row.row_id),
      name: toText(row.display_name) ?? (isGroup && people.length > 0 ? people.join(", ") : identifier),
      kind: isGroup ? "group" : "direct",
      members: people,
    });
  }
  return chats;
}

function collectPairs(
  database: DatabaseSync,
  table: string,
  columns: readonly [string, string],
): Map<bigint, bigint[]> {
  const pairs = new Map<bigint, bigint[]>();
  for (const row of scanTable(database, { table, columns })) {
    const [from, to] = [row[columns[0]], row[columns[1]]];
    if (typeof from !== "bigint" || typeof to !== "bigint") continue;
    const list = pairs.get(from) ?? [];
    list.push(to);
    pairs.set(from, list);
  }
  return pairs;
}
