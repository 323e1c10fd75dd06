/** The JSON of DiscordChatExporter: one channel with the messages of everybody. */
import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { type MentionedFile, yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { readMembers } from "../json/read-members.ts";
import {
  asFlag,
  asId,
  asInteger,
  asObject,
  asObjects,
  asText,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey } from "../record-item.ts";
import type { Channel, DiscordContext } from "./context.ts";
import { reportChannel } from "./package.ts";

/** One channel. */
export const exportedChannel: FileKind<DiscordContext> = {
  noun: "message",
  path: /\.json$/i,
  isOwn: (head) =>
    /^\s*\{/.test(head) &&
    /"guild"\s*:\s*\{/.test(head) &&
    /"channel"\s*:\s*\{/.test(head) &&
    /"(?:exportedAt|dateRange|messages)"\s*:/.test(head),
  list: "messages",
  read: readMessage,
};

async function* readMessage(
  { value, place, file }: JsonElement,
  context: DiscordContext,
): AsyncGenerator<ImportedItem> {
  const message = asObject(value);
  const number = asId(message.id);
  const channel = context.channels.get(file.path) ?? (await readChannel(file));
  context.channels.set(file.path, channel);
  yield* reportChannel(channel, file.path, context);
  if (!isObject(value) || number === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has no id." };
    return;
  }
  const author = asObject(message.author);
  const answered = asId(asObject(message.reference).messageId);
  const type = asText(message.type);
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    key: [channel.id, number],
    shared: {
      chat_id: joinKey(channel.id),
      chat: channel.name,
      sender: asText(author.nickname) ?? asText(author.name) ?? asId(author.id),
      sent_at: asTime(message.timestamp),
    },
    data: {
      sender_id: asId(author.id),
      is_bot: asFlag(author.isBot),
      is_pinned: asFlag(message.isPinned),
      edited_at: asTime(message.timestampEdited),
      text: renderMessage(message),
      kind: type === "Call" ? "call" : type === "Default" || type === "Reply" ? "message" : type && "system",
      server: channel.server,
      reply_to_id: answered === undefined ? undefined : joinKey(channel.id, answered),
      links: asObjects(message.embeds).flatMap(({ url }) => asText(url) ?? []),
      reactions: asObjects(message.reactions).map(({ emoji, count }) => ({
        emoji: asText(asObject(emoji).name),
        count: asInteger(count),
      })),
    },
    files: await Promise.all(asObjects(message.attachments).map((each) => findFile(context, file, each))),
  });
}

async function readChannel(file: FileEntry): Promise<Channel> {
  const facts = await readMembers(file, "messages");
  const channel = asObject(facts.channel);
  const guild = asObject(facts.guild);
  const type = asText(channel.type) ?? "";
  const isDirect = /^Direct/.test(type);
  return {
    id: asId(channel.id) ?? posix.basename(file.path, ".json"),
    name: asText(channel.name),
    kind: isDirect ? (/Group/.test(type) ? "group" : "direct") : "channel",
    server: isDirect ? undefined : asText(guild.name),
    topic: asText(channel.topic),
    members: [],
  };
}

/** The text, and what is embedded below it. */
function renderMessage(message: ExportedObject): string {
  const embeds = asObjects(message.embeds).flatMap(({ title, description, fields }) => [
    asText(title),
    asText(description),
    ...asObjects(fields).map((field) =>
      [field.name, field.value].flatMap((part) => asText(part) ?? []).join(": "),
    ),
  ]);
  const stickers = asObjects(message.stickers).map(({ name }) => asText(name));
  return [asText(message.content), ...embeds, ...stickers]
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}

/** A file has a URL or, if it was downloaded too, a path beside the export. */
async function findFile(
  { source }: DiscordContext,
  file: FileEntry,
  attachment: ExportedObject,
): Promise<MentionedFile> {
  const url = asText(attachment.url) ?? "";
  const name = asText(attachment.fileName) ?? (posix.basename(url) || "file");
  const size_bytes = asInteger(attachment.fileSizeBytes);
  if (/^https?:/i.test(url)) return { name, size_bytes, own: { url: url.replace(/\?.*$/s, "") } };
  const path = posix.join(posix.dirname(file.path), url.replaceAll("\\", "/"));
  const entry = (await source.files.find(path)) ?? (await source.files.find(safeDecode(path)));
  return { name, size_bytes, entry };
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
