import type { ImportedItem } from "@rungs/contract";
import {
  integerOf,
  isObject,
  type JsonObject,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
  timeOf,
} from "../json/values.ts";
import { keyOf, recordItem } from "../record-item.ts";
import { renderSlackMessage } from "./message-text.ts";
import { type Names, nameOfUser } from "./names.ts";

/** A channel as its messages name it. */
export interface ChannelName {
  readonly channel_id: string;
  readonly channel: string;
}

/** The record of one message. `repeat` counts messages before it in the file that have the same `ts`. */
export function readSlackMessage(
  value: unknown,
  context: { readonly channel: ChannelName; readonly names: Names; readonly repeat: number },
  place: string,
): ImportedItem {
  const ts = isObject(value) ? textOf(value.ts) : undefined;
  if (!isObject(value) || ts === undefined) {
    return { kind: "rejected", place, reason: "It is no message: it has no ts." };
  }
  const { channel, names, repeat } = context;
  return recordItem("messages", place, {
    id: keyOf(channel.channel_id, ts, ...(repeat > 0 ? [String(repeat + 1)] : [])),
    ...channel,
    ts,
    sent_at: timeOf(ts),
    ...readAuthor(value, names),
    text: renderSlackMessage(value, names),
    subtype: textOf(value.subtype),
    ...readThread(value, channel.channel_id, ts),
    edited_at: timeOf(objectOf(value.edited).ts),
    files: [...objectsOf(value.files), ...objectsOf([value.file])].map(readFile),
    reactions: objectsOf(value.reactions).map(({ name, count, users }) => ({
      name: textOf(name),
      count: integerOf(count),
      users: textsOf(users).map((id) => names.users.get(id) ?? id),
    })),
  });
}

/** A person, a bot by its own or a borrowed name, or who commented on a file. */
function readAuthor(message: JsonObject, { users }: Names): object {
  const user_id = textOf(message.user) ?? textOf(objectOf(message.comment).user);
  const bot_id = textOf(message.bot_id);
  const user =
    (user_id === undefined ? undefined : users.get(user_id)) ??
    nameOfUser(objectOf(message.user_profile)) ??
    textOf(message.username) ??
    textOf(objectOf(message.bot_profile).name) ??
    (bot_id === undefined ? undefined : users.get(bot_id)) ??
    user_id ??
    bot_id;
  return { user_id: user_id ?? bot_id, user, is_bot: bot_id === undefined ? undefined : true };
}

function readThread(message: JsonObject, channel_id: string, ts: string): object {
  const thread_ts = textOf(message.thread_ts);
  if (thread_ts === undefined) return {};
  const thread_id = keyOf(channel_id, thread_ts);
  return {
    thread_id,
    parent_id: thread_ts === ts ? undefined : thread_id,
    reply_count: integerOf(message.reply_count),
  };
}

/** An export has links to files, and of short texts the beginning. */
function readFile(file: JsonObject): object {
  return {
    id: textOf(file.id),
    name: textOf(file.name),
    title: textOf(file.title),
    mime_type: textOf(file.mimetype),
    size_bytes: integerOf(file.size),
    // Without its query: that holds a token to the workspace's files.
    url: textOf(file.url_private)?.replace(/\?.*$/s, ""),
    text: textOf(file.plain_text) ?? textOf(file.preview),
  };
}
