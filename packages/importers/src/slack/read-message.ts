import type { ImportedItem } from "@rungs/contract";
import {
  asInteger,
  asObject,
  asObjects,
  asText,
  asTexts,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { renderBlocks } from "./blocks.ts";
import { findAddress, listMessageFiles } from "./message-files.ts";
import { renderMrkdwn } from "./mrkdwn.ts";
import { findUserName, type Names } from "./names.ts";

/** The facts of a channel that its messages need. */
export interface ChannelName {
  readonly channel_id: string;
  readonly channel: string;
}

/** The record of one message. `repeat` counts earlier messages in the file with the same `ts`. */
export function readSlackMessage(
  value: unknown,
  context: { readonly channel: ChannelName; readonly names: Names; readonly repeat: number },
  place: string,
): ImportedItem {
  const ts = isObject(value) ? asText(value.ts) : undefined;
  if (!isObject(value) || ts === undefined) {
    return { kind: "rejected", place, reason: "Not a message: it has no ts." };
  }
  const { channel, names, repeat } = context;
  return toRecordItem("messages", place, {
    id: joinKey(channel.channel_id, ts, ...(repeat > 0 ? [String(repeat + 1)] : [])),
    ...channel,
    ts,
    sent_at: asTime(ts),
    ...readAuthor(value, names),
    text: renderSlackMessage(value, names),
    subtype: asText(value.subtype),
    ...readThread(value, channel.channel_id, ts),
    edited_at: asTime(asObject(value.edited).ts),
    files: listMessageFiles(value).map(readFile),
    reactions: asObjects(value.reactions).map(({ name, count, users }) => ({
      name: asText(name),
      count: asInteger(count),
      users: asTexts(users).map((id) => names.users.get(id) ?? id),
    })),
  });
}

/** The author: a person, a bot under its own or another name, or the author of a file comment. */
function readAuthor(message: ExportedObject, { users }: Names): object {
  const user_id = asText(message.user) ?? asText(asObject(message.comment).user);
  const bot_id = asText(message.bot_id);
  const user =
    (user_id === undefined ? undefined : users.get(user_id)) ??
    findUserName(asObject(message.user_profile)) ??
    asText(message.username) ??
    asText(asObject(message.bot_profile).name) ??
    (bot_id === undefined ? undefined : users.get(bot_id)) ??
    user_id ??
    bot_id;
  return { user_id: user_id ?? bot_id, user, is_bot: bot_id === undefined ? undefined : true };
}

function readThread(message: ExportedObject, channel_id: string, ts: string): object {
  const thread_ts = asText(message.thread_ts);
  if (thread_ts === undefined) return {};
  const thread_id = joinKey(channel_id, thread_ts);
  return {
    thread_id,
    parent_id: thread_ts === ts ? undefined : thread_id,
    reply_count: asInteger(message.reply_count),
  };
}

/** An export has links to files, and the beginning of short texts. */
function readFile(file: ExportedObject): object {
  return {
    id: asText(file.id),
    name: asText(file.name),
    title: asText(file.title),
    mime_type: asText(file.mimetype),
    size_bytes: asInteger(file.size),
    url: findAddress(file),
    text: asText(file.plain_text) ?? asText(file.preview),
  };
}

/** All text of a message: its own, its blocks if they contain more, and its attachments. */
function renderSlackMessage(message: ExportedObject, names: Names): string {
  const text = renderMrkdwn(asText(message.text) ?? "", names);
  const blocks = text === "" || hasMoreThanText(message) ? renderBlocks(message.blocks, names) : "";
  const own = blocks.includes(text) ? [blocks] : [text, blocks];
  const attached = asObjects(message.attachments).map((attachment) => renderAttachment(attachment, names));
  return [...own, ...attached].filter((part) => part !== "").join("\n");
}

/** A person's text is repeated as a `rich_text` block; the text of an application is only a fallback for its blocks. */
function hasMoreThanText({ blocks }: ExportedObject): boolean {
  return asObjects(blocks).some(({ type }) => type !== "rich_text");
}

function renderAttachment(attachment: ExportedObject, names: Names): string {
  const show = (value: unknown): string => renderMrkdwn(asText(value) ?? "", names);
  const { pretext, author_name, title, title_link, text, fields, blocks } = attachment;
  const heading = asText(title) && asText(title_link) ? `${show(title)} (${title_link})` : show(title);
  const rows = asObjects(fields).map((field) =>
    [show(field.title), show(field.value)].filter(Boolean).join(": "),
  );
  const parts = [show(pretext), show(author_name), heading, show(text), ...rows, renderBlocks(blocks, names)];
  return parts.filter((part) => part !== "").join("\n") || show(attachment.fallback);
}
