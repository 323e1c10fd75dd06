import { ApiError, type ImportedItem, type RejectedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { splitJson } from "../json/split-json.ts";
import {
  asId,
  asList,
  asObject,
  asObjects,
  asText,
  asTexts,
  asTime,
  type ExportedObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { toJsonFile } from "./assigned-file.ts";
import { findTwitterMedia, type TwitterContext } from "./context.ts";
import { defineList } from "./posts.ts";

/** Conversations with their messages, the newest first. A conversation may be large: its messages are read one by one. */
export const directMessages: FileKind<TwitterContext> = {
  ...defineList("message", /^direct_messages?(?:_group)?$/, readEvent),
  split: splitMessages,
};

const MEDIA_FOLDERS = [
  "direct_messages_media",
  "direct_messages_group_media",
  "direct_message_media",
  "direct_message_group_media",
];

/** A message and the conversation that it is in. */
interface FoundEvent {
  readonly conversation: string;
  readonly event: unknown;
}

async function* splitMessages(file: FileEntry, done: number): AsyncGenerator<JsonElement | RejectedItem> {
  let conversation = "";
  let number = 0;
  const items = splitJson(toJsonFile(file).open(), {
    choose(path, kind) {
      const [, member, list, index] = path;
      if (index !== undefined) return "take";
      if (list !== undefined)
        return list === "messages" ? "enter" : list === "conversationId" ? "take" : "skip";
      if (member !== undefined) return member === "dmConversation" ? "enter" : "skip";
      return kind === "scalar" ? "skip" : "enter";
    },
  });
  try {
    for await (const item of items) {
      if (item.path.length === 3 && item.kind === "value") conversation = asId(item.value) ?? "";
      if (item.path.length === 3 && item.kind === "value") continue;
      number += 1;
      if (number <= done) continue;
      const place = `${file.path}, message ${number} at byte ${item.at_byte}`;
      const checkpoint = formatResume(file.path, number);
      const value: FoundEvent | undefined =
        item.kind === "value" ? { conversation, event: item.value } : undefined;
      if (item.kind === "problem") yield { kind: "rejected", place, checkpoint, reason: item.reason };
      else yield { kind: "element", file, place, checkpoint, value };
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    yield { kind: "rejected", place: file.path, reason: error.message };
  }
}

/** An event of a conversation, by the member that holds it; notices say who did what. */
const NOTICES: Readonly<Record<string, (event: ExportedObject, name: (id: unknown) => string) => string>> = {
  joinConversation: (event, name) => `${name(event.initiatingUserId)} added you.`,
  participantsJoin: (event, name) => `${name(event.initiatingUserId)} added ${listNames(event, name)}.`,
  participantsLeave: (event, name) => `${listNames(event, name)} left.`,
  conversationNameUpdate: (event, name) =>
    `${name(event.initiatingUserId)} named the conversation ${asText(event.name) ?? ""}.`,
};

function listNames(event: ExportedObject, name: (id: unknown) => string): string {
  return asList(event.userIds).map(name).join(", ");
}

async function* readEvent(
  { value, place, file }: JsonElement,
  context: TwitterContext,
): AsyncGenerator<ImportedItem> {
  const { conversation, event } = asObject(value) as unknown as FoundEvent;
  const [[kind, content] = ["", undefined]] = Object.entries(asObject(event));
  const message = asObject(content);
  const id = asId(message.id) ?? asId(message.createdAt);
  if (
    id === undefined ||
    conversation === "" ||
    (kind !== "messageCreate" && !Object.hasOwn(NOTICES, kind))
  ) {
    yield { kind: "rejected", place, reason: "Not a message: it has no id, or is in no conversation." };
    return;
  }
  const name = (account: unknown): string => {
    const number = asId(account);
    return (number === undefined ? undefined : context.names.get(number)) ?? number ?? "somebody";
  };
  const chat = describeChat(conversation, context);
  if (!context.reported.has(conversation)) {
    context.reported.add(conversation);
    yield toRecordItem("chats", place, { ...chat, id: joinKey(conversation) });
  }
  const sender_id = asId(message.senderId) ?? asId(message.initiatingUserId);
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    key: [conversation, id],
    shared: {
      chat_id: joinKey(conversation),
      chat: chat.name,
      sender: sender_id === undefined ? undefined : name(sender_id),
      sent_at: asTime(message.createdAt),
    },
    data: {
      sender_id,
      text: kind === "messageCreate" ? renderMessage(message) : NOTICES[kind]!(message, name),
      kind: kind === "messageCreate" ? "message" : "system",
      is_own:
        sender_id === undefined || context.owner.id === undefined
          ? undefined
          : sender_id === context.owner.id,
      links: asObjects(message.urls).flatMap(({ expanded, url }) => asText(expanded) ?? asText(url) ?? []),
      reactions: asObjects(message.reactions).map(({ reactionKey, senderId }) => ({
        emoji: asText(reactionKey),
        sender: name(senderId),
      })),
    },
    files: await Promise.all(
      asTexts(message.mediaUrls).map((url) =>
        findTwitterMedia(context, { file, folders: MEDIA_FOLDERS, id, url }),
      ),
    ),
  });
}

/** The id of a direct conversation is made of the two accounts. */
function describeChat(conversation: string, { names, owner }: TwitterContext) {
  const [, first, second] = /^(\d+)-(\d+)$/.exec(conversation) ?? [];
  if (first === undefined || second === undefined) return { name: `Group ${conversation}`, kind: "group" };
  const members = [first, second].map((id) => names.get(id) ?? id);
  const other = first === owner.id ? members[1] : members[0];
  return { name: other, kind: "direct", members };
}

function renderMessage(message: ExportedObject): string {
  let text = asText(message.text) ?? "";
  for (const { url, expanded } of asObjects(message.urls)) {
    const [short, long] = [asText(url), asText(expanded)];
    if (short !== undefined && long !== undefined) text = text.replaceAll(short, () => long);
  }
  return text;
}
