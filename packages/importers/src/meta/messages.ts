import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { readMembers } from "../json/read-members.ts";
import {
  asEpoch,
  asFlag,
  asInteger,
  asList,
  asObject,
  asObjects,
  asText,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { digest, findMetaMedia, isRepeated, type MetaContext, type MetaThread } from "./context.ts";
import { repairText, repairValue } from "./repair-text.ts";

/** A file with this path is a conversation, even a broken one. */
const THREAD_FILE =
  /(?:^|\/)messages\/(?:inbox|archived_threads|filtered_threads|message_requests|e2ee_cutover)\/[^/]+\/message_\d+\.json$/;

/** A conversation of Messenger or Instagram: `message_1.json`, `message_2.json` …, with others of the same thread. */
export const threads: FileKind<MetaContext> = {
  noun: "message",
  path: /\.json$/i,
  isOwn: (head, path) =>
    THREAD_FILE.test(path) ||
    (/^\s*\{/.test(head) &&
      /"participants"\s*:\s*\[/.test(head) &&
      /"(?:sender_name|magic_words|thread_path)"\s*:/.test(head)),
  list: "messages",
  read: (element, context) => readMessage(element, context, readClassic),
};

/** A conversation of the end-to-end encrypted store, which has its own download and is written in plain UTF-8. */
export const encryptedThreads: FileKind<MetaContext> = {
  noun: "message",
  path: /\.json$/i,
  isOwn: (head) =>
    /^\s*\{/.test(head) && /"senderName"\s*:/.test(head) && /"(?:threadName|isUnsent)"\s*:/.test(head),
  list: "messages",
  read: (element, context) => readMessage(element, context, readEncrypted),
};

/** The members that hold files. */
const MEDIA = ["photos", "videos", "audio_files", "files", "gifs"];

interface Message {
  readonly sender: string | undefined;
  readonly sent_ms: unknown;
  readonly text: string | undefined;
  readonly data: object;
  readonly media: readonly ExportedObject[];
}

async function* readMessage(
  { value, place, file }: JsonElement,
  context: MetaContext,
  parse: (message: ExportedObject) => Message,
): AsyncGenerator<ImportedItem> {
  const thread = context.threads.get(file.path) ?? (await readThread(file));
  context.threads.set(file.path, thread);
  if (!context.reported.has(thread.id)) {
    context.reported.add(thread.id);
    const { id, name, kind, members } = thread;
    yield toRecordItem("chats", file.path, { id: joinKey(id), name, kind, members });
  }
  if (!isObject(value)) {
    yield { kind: "rejected", place, reason: "Not a message." };
    return;
  }
  const { sender, sent_ms, text, data, media } = parse(value);
  const sent_at = asEpoch(sent_ms);
  if (sender === undefined && sent_at === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has neither a sender nor a time." };
    return;
  }
  const names = media.map(({ uri }) => posix.basename(asText(uri) ?? ""));
  // Messages have no id, and several may have one time.
  const key = [thread.id, String(sent_ms ?? ""), digest(sender, text, names, asObject(value.share))];
  if (isRepeated(context, sent_at ?? "", joinKey(...key))) return;
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    key,
    shared: { chat_id: joinKey(thread.id), chat: thread.name, sender, sent_at },
    data: { text, ...data },
    files: await Promise.all(media.map((each) => findMetaMedia(context, file, each))),
  });
}

async function readThread(file: FileEntry): Promise<MetaThread> {
  const facts = await readMembers(file, "messages");
  const members = asList(facts.participants).flatMap((each) => {
    const name = asText(each) ?? asText(asObject(each).name);
    return name === undefined ? [] : repairText(name);
  });
  const name = asText(facts.title) ?? asText(facts.threadName)?.replace(/_\d+$/, "");
  const folder = posix.basename(posix.dirname(file.path));
  const id = asText(facts.thread_path)?.split("/").at(-1) ?? asText(facts.threadName) ?? folder;
  return {
    id: repairText(id),
    name: name === undefined ? (asText(members.join(", ")) ?? folder) : repairText(name),
    kind: members.length > 2 ? "group" : "direct",
    members,
  };
}

function readClassic(value: ExportedObject): Message {
  const message = asObject(repairValue(value));
  const share = asObject(message.share);
  const link = asText(share.link);
  const media = [...MEDIA.flatMap((member) => asObjects(message[member])), ...asObjects([message.sticker])];
  const call_seconds = asInteger(message.call_duration);
  const texts = [asText(message.content), asText(share.share_text)].filter((text) => text !== undefined);
  return {
    sender: asText(message.sender_name),
    sent_ms: message.timestamp_ms,
    text: texts.join("\n"),
    data: {
      kind: call_seconds === undefined && message.type !== "Call" ? "message" : "call",
      call_seconds,
      links: link === undefined ? [] : [link],
      reactions: asObjects(message.reactions).map(({ reaction, actor }) => ({
        emoji: asText(reaction),
        sender: asText(actor),
      })),
    },
    media,
  };
}

function readEncrypted(message: ExportedObject): Message {
  return {
    sender: asText(message.senderName),
    sent_ms: message.timestamp,
    text: asText(message.text),
    data: {
      kind: asFlag(message.isUnsent) || message.type === "placeholder" ? "system" : "message",
      reactions: asObjects(message.reactions).map(({ reaction, actor }) => ({
        emoji: asText(reaction),
        sender: asText(actor),
      })),
    },
    media: asObjects(message.media),
  };
}
