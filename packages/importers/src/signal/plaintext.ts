/** The readable export that Signal itself writes: `main.jsonl` with a frame of its backup format on each line, and `files/`. */
import { createHash } from "node:crypto";
import type { ImportedItem } from "@rungs/contract";
import { type MentionedFile, yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { readLines } from "../json/read-lines.ts";
import {
  asEpoch,
  asId,
  asInteger,
  asObject,
  asObjects,
  asText,
  type ExportedObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import type { Directory, Recipient, SignalContext } from "./context.ts";

/** The frames of an export. */
export const plaintextFrames: FileKind<SignalContext> = {
  noun: "frame",
  path: /\.jsonl?$/i,
  isOwn: (head) => /^\s*\{\s*"(?:recipient|chat|chatItem)"\s*:\s*\{\s*"(?:id|chatId)"\s*:/m.test(head),
  split: (file, done) => readLines(file, "frame", done),
  read: readFrame,
};

async function* readFrame(
  { value, place, file }: JsonElement,
  context: SignalContext,
): AsyncGenerator<ImportedItem> {
  const item = asObject(asObject(value).chatItem);
  const chatId = asId(item.chatId);
  const sent = asId(item.dateSent);
  if (asObject(value).chatItem === undefined) return;
  if (chatId === undefined || sent === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has no chat or no time." };
    return;
  }
  const directory = context.directories.get(file.path) ?? { recipients: new Map(), chats: new Map() };
  const recipient = directory.recipients.get(directory.chats.get(chatId) ?? "");
  const chat = {
    id: chatId,
    name: recipient?.kind === "self" ? "Note to self" : (recipient?.name ?? `Chat ${chatId}`),
  };
  yield* reportChat(chat, recipient, { context, place });
  const author = directory.recipients.get(asId(item.authorId) ?? "");
  const body = readBody(item, directory);
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    // Signal itself identifies a message by its author and the time of sending.
    key: [chatId, sent, asId(item.authorId) ?? "", ...(item.updateMessage ? ["update"] : [])],
    shared: { chat_id: joinKey(chatId), chat: chat.name, sender: author?.name, sent_at: asEpoch(sent) },
    data: {
      sender_id: asId(item.authorId),
      is_own: author?.kind === "self" || item.outgoing !== undefined,
      received_at: asEpoch(asObject(item.incoming).dateReceived),
      ...body.data,
    },
    files: await Promise.all(body.attachments.map((each, at) => findFile(context, file, each, at))),
  });
}

function* reportChat(
  chat: { readonly id: string; readonly name: string },
  recipient: Recipient | undefined,
  { context, place }: { readonly context: SignalContext; readonly place: string },
): Generator<ImportedItem> {
  if (context.reported.has(chat.id)) return;
  context.reported.add(chat.id);
  const kind = recipient?.kind === "group" ? "group" : "direct";
  yield toRecordItem("chats", place, {
    id: joinKey(chat.id),
    name: chat.name,
    kind,
    phone: recipient?.phone,
  });
}

interface Body {
  readonly data: Readonly<Record<string, unknown>>;
  readonly attachments: readonly ExportedObject[];
}

/** A frame has one member, named after the kind of the message. */
function readBody(item: ExportedObject, { recipients }: Directory): Body {
  const message = asObject(
    item.standardMessage ??
      item.directStoryReplyMessage ??
      item.stickerMessage ??
      item.contactMessage ??
      item.viewOnceMessage,
  );
  const quote = asObject(message.quote);
  const texts = [
    asText(asObject(message.text).body),
    asText(asObject(asObject(message.textReply).text).body),
    asText(message.emoji),
    asText(asObject(message.sticker).emoji),
    nameContact(asObject(message.contact)),
    item.remoteDeletedMessage ? "(deleted)" : undefined,
    item.viewOnceMessage ? "(viewed once)" : undefined,
    asText(asObject(item.poll).question),
    nameUpdate(item.updateMessage),
  ];
  return {
    data: {
      text: texts.filter((text) => text !== undefined).join("\n"),
      kind: item.updateMessage
        ? nameUpdate(item.updateMessage)?.includes("call")
          ? "call"
          : "system"
        : "message",
      quote: asText(asObject(quote.text).body),
      links: asObjects(message.linkPreview).flatMap(({ url }) => asText(url) ?? []),
      edited_at:
        Array.isArray(item.revisions) && item.revisions.length > 0 ? asEpoch(item.dateSent) : undefined,
      reactions: asObjects(message.reactions).map(({ emoji, authorId }) => ({
        emoji: asText(emoji),
        sender: recipients.get(asId(authorId) ?? "")?.name,
      })),
    },
    attachments: asObjects([...asObjects(message.attachments), message.longText, message.attachment]).map(
      (each) => asObject(each.pointer ?? each),
    ),
  };
}

function nameContact(contact: ExportedObject): string | undefined {
  const name = asObject(contact.name);
  const parts = [name.givenName, name.familyName, ...asObjects(contact.number).map(({ value }) => value)];
  return asText(parts.flatMap((part) => asText(part) ?? []).join(" "));
}

/** `individualCall` becomes `individual call`; a simple update has a type. */
function nameUpdate(update: unknown): string | undefined {
  const [name] = Object.keys(asObject(update));
  if (update === undefined || name === undefined) return undefined;
  const type = asText(asObject(asObject(update).simpleUpdate).type) ?? name;
  return type
    .replaceAll("_", " ")
    .replaceAll(/(?<=[a-z])[A-Z]/g, " $&")
    .toLowerCase();
}

/** A file is named by the digest of its content's digest and its key. */
async function findFile(
  { source, media }: SignalContext,
  file: FileEntry,
  pointer: ExportedObject,
  at: number,
): Promise<MentionedFile> {
  const locator = asObject(pointer.locatorInfo);
  const parts = [locator.plaintextHash, locator.localKey].map((part) =>
    Buffer.from(asText(part) ?? "", "base64"),
  );
  const stem = createHash("sha256").update(Buffer.concat(parts)).digest("hex");
  const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
  const path = media.get(`${folder}${stem}`);
  const mime_type = asText(pointer.contentType);
  const ending = path === undefined ? "" : path.slice(path.lastIndexOf("/") + 1).slice(stem.length);
  return {
    name: asText(pointer.fileName) ?? `attachment-${at + 1}${ending}`,
    mime_type,
    size_bytes: asInteger(locator.size) ?? asInteger(pointer.size),
    entry: path === undefined ? undefined : await source.files.find(path),
  };
}
