import type { ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { ImportSource } from "../importer.ts";
import {
  asId,
  asInteger,
  asList,
  asObject,
  asObjects,
  asText,
  asTexts,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import type { Chat } from "./walk-chats.ts";

/** The context of a message. */
export interface MessageContext {
  readonly source: ImportSource;
  /** The folder that paths of files are relative to. */
  readonly folder: string;
  /** Notes that a time has no zone. */
  noteLocalTimes(): void;
}

/** The records of one message: the message and its files. */
export async function* readTelegramMessage(
  context: MessageContext,
  chat: Chat,
  value: unknown,
  place: string,
): AsyncGenerator<ImportedItem> {
  const message = asObject(value);
  const number = asId(message.id);
  if (!isObject(value) || number === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has no id." };
    return;
  }
  const id = joinKey(chat.id, number);
  const sent_at = asTime(message.date_unixtime) ?? asTime(message.date);
  if (sent_at !== undefined && asTime(message.date_unixtime) === undefined) context.noteLocalTimes();
  const common = {
    chat_id: joinKey(chat.id),
    chat: chat.name,
    sender: asText(message.from) ?? asText(message.actor) ?? asId(message.from_id) ?? asId(message.actor_id),
    sent_at,
    media_type: asText(message.media_type) ?? (asText(message.photo) ? "photo" : undefined),
    duration_seconds: asInteger(message.duration_seconds),
  };
  const files = listFiles(message);
  const attachment_ids = files.map(({ member }) => joinKey(chat.id, number, member));
  yield toRecordItem("messages", place, { id, ...common, ...describeMessage(message, chat), attachment_ids });
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
    yield toRecordItem("attachments", `${place}, file ${at + 1}`, data);
  }
}

function describeMessage(message: ExportedObject, chat: Chat): object {
  const location = asObject(message.location_information);
  const reply_to = asId(message.reply_to_message_id);
  const edited_at = asTime(message.edited_unixtime) ?? asTime(message.edited);
  return {
    sender_id: asId(message.from_id) ?? asId(message.actor_id),
    // Older exports write the Unix epoch for unedited messages.
    edited_at: edited_at?.startsWith("1970-01-01") ? undefined : edited_at,
    text: renderTelegramMessage(message),
    kind: asText(message.type),
    action: asText(message.action),
    reply_to_id: reply_to === undefined ? undefined : joinKey(chat.id, reply_to),
    forwarded_from: asText(message.forwarded_from),
    via_bot: asText(message.via_bot),
    latitude: asNumber(location.latitude),
    longitude: asNumber(location.longitude),
    reactions: asObjects(message.reactions).map(({ emoji, count }) => ({
      emoji: asText(emoji),
      count: asInteger(count),
    })),
  };
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The files of a message. A file omitted from the export has a sentence in parentheses as its path. */
function listFiles(message: ExportedObject) {
  return ["photo", "file", "contact_vcard"].flatMap((member) => {
    const path = asText(message[member]);
    if (path === undefined) return [];
    const isFile = member === "file";
    const base = path.startsWith("(") ? member : path.slice(path.lastIndexOf("/") + 1);
    return {
      member,
      path,
      name: (isFile ? asText(message.file_name) : undefined) ?? base,
      mime_type: isFile ? asText(message.mime_type) : undefined,
      size_bytes: asInteger(message[`${member}_size`] ?? message[`${member}_file_size`]),
    };
  });
}

/** The text of a message, and a description of what it shows instead of text. */
function renderTelegramMessage(message: ExportedObject): string {
  const parts = [renderText(message), renderService(message), ...renderShown(message)];
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

/** Text is a string, or a list of strings and formatted pieces that form one text. */
function renderText({ text, text_entities }: ExportedObject): string {
  if (typeof text === "string" && text !== "") return text;
  const pieces = asList(text).length > 0 ? asList(text) : asList(text_entities);
  return pieces.map((piece) => (typeof piece === "string" ? piece : renderPiece(asObject(piece)))).join("");
}

function renderPiece({ type, text, href }: ExportedObject): string {
  const shown = asText(text) ?? "";
  return type === "text_link" && asText(href) ? `${shown} (${href})` : shown;
}

/** `invite_members: Bob, Eve`. */
function renderService({ type, action, title, members }: ExportedObject): string | undefined {
  if (type !== "service") return undefined;
  const details = [asText(title), asText(asTexts(members).join(", "))].filter(Boolean).join(", ");
  const words = asText(action)?.replaceAll("_", " ");
  return [words, asText(details)].filter(Boolean).join(": ");
}

function renderShown(message: ExportedObject): (string | undefined)[] {
  const contact = asObject(message.contact_information);
  const song = message.type === "service" ? [] : [message.performer, message.title];
  return [
    ...renderPoll(asObject(message.poll)),
    joinTexts([contact.first_name, contact.last_name, contact.phone_number], " "),
    joinTexts([message.place_name, message.address], ", "),
    joinTexts(song, " – "),
    asText(message.game_title),
    asText(message.sticker_emoji),
  ];
}

function renderPoll({ question, answers }: ExportedObject): (string | undefined)[] {
  return [asText(question), ...asObjects(answers).map(({ text }) => joinTexts(["•", text], " "))];
}

function joinTexts(values: readonly unknown[], between: string): string | undefined {
  return asText(values.flatMap((value) => asText(value) ?? []).join(between));
}
