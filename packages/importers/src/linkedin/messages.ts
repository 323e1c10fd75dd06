import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import { htmlToText } from "../extract/html-text.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { defineTable, type LinkedInContext, readCells, readLinkedInTime } from "./tables.ts";

/** Messages of all conversations, the newest first. */
export const messages = defineTable(
  { noun: "message", columns: ["CONVERSATION ID", "FROM", "TO", "DATE", "CONTENT"] },
  readMessage,
);

/** A digest for rows without an id. */
export function digestRow(...parts: readonly (string | undefined)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** Whether a row with this key was read before: equal rows are one message. */
export function isSecond({ keys }: LinkedInContext, key: string): boolean {
  const isKnown = keys.has(key);
  keys.add(key);
  return isKnown;
}

async function* readMessage(element: JsonElement, context: LinkedInContext): AsyncGenerator<ImportedItem> {
  const cell = readCells(element);
  const { place } = element;
  const chat_id = cell("CONVERSATION ID");
  const [sender, date, content] = [cell("FROM"), cell("DATE"), cell("CONTENT")];
  if (chat_id === undefined || (date === undefined && content === undefined)) {
    yield {
      kind: "rejected",
      place,
      reason: "Not a message: it has no conversation, or neither date nor content.",
    };
    return;
  }
  const others = splitNames(cell("TO"));
  const members = [...new Set([...(sender === undefined ? [] : [sender]), ...others])];
  const partners = members.filter((name) => name !== context.owner);
  const name = cell("CONVERSATION TITLE") ?? (partners.join(", ") || undefined);
  if (!context.reported.has(chat_id)) {
    context.reported.add(chat_id);
    const kind = members.length > 2 ? "group" : "direct";
    yield toRecordItem("chats", place, { id: joinKey(chat_id), name, kind, members });
  }
  // Messages have no id, and several may have one time.
  const key = [chat_id, date ?? "", digestRow(sender, content, cell("ATTACHMENTS"))];
  if (isSecond(context, joinKey(...key))) return;
  const urls = (cell("ATTACHMENTS") ?? "").split(/[\s,]+/).filter((url) => /^https?:/i.test(url));
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    key,
    shared: { chat_id: joinKey(chat_id), chat: name, sender, sent_at: readLinkedInTime(date) },
    data: {
      sender_id: cell("SENDER PROFILE URL"),
      subject: cell("SUBJECT"),
      text: content === undefined ? undefined : renderContent(content),
      kind: "message",
      is_own: context.owner === undefined || sender === undefined ? undefined : sender === context.owner,
      folder: cell("FOLDER"),
    },
    files: urls.map((url) => ({
      name: posix.basename(url.replace(/[?#].*$/s, "")) || "file",
      own: { url },
    })),
  });
}

/** Names are joined by commas; the export does not mark a comma inside a name. */
function splitNames(names: string | undefined): string[] {
  return (names ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Advertisements and newer messages are HTML. */
function renderContent(content: string): string {
  return /^\s*<(?:p|div|html|span|spinmail)\b[^>]*>/i.test(content) ? htmlToText(content).text : content;
}
