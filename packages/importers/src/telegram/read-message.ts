import type { ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { ImportSource } from "../importer.ts";
import {
  idOf,
  integerOf,
  isObject,
  type JsonObject,
  objectOf,
  objectsOf,
  textOf,
  timeOf,
} from "../json/values.ts";
import { keyOf, recordItem } from "../record-item.ts";
import { renderTelegramMessage } from "./message-text.ts";
import type { Chat } from "./walk-chats.ts";

/** What messages are read with. */
export interface MessageContext {
  readonly source: ImportSource;
  /** The folder that paths of files are relative to. */
  readonly folder: string;
  /** Called for a message whose time has no zone. */
  sayLocalTimes(): void;
}

/** The records of one message: itself, and its files. */
export async function* readTelegramMessage(
  context: MessageContext,
  chat: Chat,
  value: unknown,
  place: string,
): AsyncGenerator<ImportedItem> {
  const message = objectOf(value);
  const number = idOf(message.id);
  if (!isObject(value) || number === undefined) {
    yield { kind: "rejected", place, reason: "It is no message: it has no id." };
    return;
  }
  const id = keyOf(chat.id, number);
  const sent_at = timeOf(message.date_unixtime) ?? timeOf(message.date);
  if (sent_at !== undefined && timeOf(message.date_unixtime) === undefined) context.sayLocalTimes();
  const common = {
    chat_id: keyOf(chat.id),
    chat: chat.name,
    sender: textOf(message.from) ?? textOf(message.actor) ?? idOf(message.from_id) ?? idOf(message.actor_id),
    sent_at,
    media_type: textOf(message.media_type) ?? (textOf(message.photo) ? "photo" : undefined),
    duration_seconds: integerOf(message.duration_seconds),
  };
  const files = listFiles(message);
  const attachment_ids = files.map(({ member }) => keyOf(chat.id, number, member));
  yield recordItem("messages", place, { id, ...common, ...describeMessage(message, chat), attachment_ids });
  for (const [at, { path, name, mime_type, size_bytes }] of files.entries()) {
    const entry = await context.source.files.find(`${context.folder}${path}`);
    const content = entry ? await storeAttachment(context.source, entry, { name, mime_type }) : {};
    const data = {
      id: attachment_ids[at]!,
      message_id: id,
      ...common,
      name,
      mime_type,
      size_bytes,
      ...content,
    };
    yield recordItem("attachments", `${place}, file ${at + 1}`, data);
  }
}

function describeMessage(message: JsonObject, chat: Chat): object {
  const location = objectOf(message.location_information);
  const reply_to = idOf(message.reply_to_message_id);
  const edited_at = timeOf(message.edited_unixtime) ?? timeOf(message.edited);
  return {
    sender_id: idOf(message.from_id) ?? idOf(message.actor_id),
    // Older exports write the beginning of time for what was never edited.
    edited_at: edited_at?.startsWith("1970-01-01") ? undefined : edited_at,
    text: renderTelegramMessage(message),
    kind: textOf(message.type),
    action: textOf(message.action),
    reply_to_id: reply_to === undefined ? undefined : keyOf(chat.id, reply_to),
    forwarded_from: textOf(message.forwarded_from),
    via_bot: textOf(message.via_bot),
    latitude: numberOf(location.latitude),
    longitude: numberOf(location.longitude),
    reactions: objectsOf(message.reactions).map(({ emoji, count }) => ({
      emoji: textOf(emoji),
      count: integerOf(count),
    })),
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The files of a message; one that the person left out of the export has a sentence in brackets for a path. */
function listFiles(message: JsonObject) {
  return ["photo", "file", "contact_vcard"].flatMap((member) => {
    const path = textOf(message[member]);
    if (path === undefined) return [];
    const isFile = member === "file";
    const base = path.startsWith("(") ? member : path.slice(path.lastIndexOf("/") + 1);
    return {
      member,
      path,
      name: (isFile ? textOf(message.file_name) : undefined) ?? base,
      mime_type: isFile ? textOf(message.mime_type) : undefined,
      size_bytes: integerOf(message[`${member}_size`] ?? message[`${member}_file_size`]),
    };
  });
}
