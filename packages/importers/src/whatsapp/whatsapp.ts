import { createHash } from "node:crypto";
import { ApiError, type ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { FileEntry } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { findChatExports, nameChat, requireChatFiles } from "./chat-files.ts";
import { whatsappManifest } from "./manifest.ts";
import { findMedia } from "./media.ts";
import { type ChatMessage, findForm, readMessages } from "./read-messages.ts";

/** Reads WhatsApp's "Export chat": a text file, alone or with the files that were sent. */
export const whatsapp: Importer = {
  id: "whatsapp",
  label: "WhatsApp chat",
  get manifest() {
    return whatsappManifest();
  },
  recognition: { kind: "export", find: findChatExports },
  read,
};

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  for (const file of await requireChatFiles(source.files, whatsapp.label)) {
    try {
      yield* readChat(source, file);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
      yield { kind: "rejected", place: file.path, reason: error.message };
    }
  }
}

async function* readChat(source: ImportSource, file: FileEntry): AsyncGenerator<ImportedItem> {
  const form = await findForm(file);
  if (!form) return;
  source.note(`${file.path}: dates were read as ${form.order}; ${form.reason}.`);
  source.note(`${file.path}: the file has no time zone; times were read as UTC.`);
  const chat = nameChat(source.files, file);
  const context = { source, file, chat, chat_id: joinKey(chat ?? "chat"), createKey: createKeys() };
  const summary = createSummary();
  for await (const message of readMessages(file, form)) {
    if (message.kind === "rejected") yield message;
    else {
      summary.add(message);
      yield* readMessage(context, message);
    }
  }
  yield toRecordItem("chats", file.path, { id: context.chat_id, name: chat, ...summary.facts() });
}

interface Context {
  readonly source: ImportSource;
  readonly file: FileEntry;
  readonly chat: string | undefined;
  readonly chat_id: string;
  createKey(...parts: readonly string[]): string;
}

async function* readMessage(
  { source, file, chat, chat_id, createKey }: Context,
  { place, written, local_ms, sender, text }: ChatMessage,
): AsyncGenerator<ImportedItem> {
  const id = createKey(chat_id, written, sender ?? "", text);
  const sent_at = new Date(local_ms).toISOString();
  const common = { chat_id, chat, sender, sent_at, local_time: sent_at.slice(0, 19) };
  const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
  const media = sender === undefined ? undefined : await findMedia(source.files, folder, text);
  const attachment_id = `${id}/file`;
  yield toRecordItem("messages", place, {
    id,
    ...common,
    text,
    kind: sender === undefined ? "system" : "message",
    attachment_ids: media ? [attachment_id] : [],
  });
  if (!media) return;
  const { name, entry } = media;
  const content = entry ? await storeAttachment(source, entry, { name }) : {};
  yield toRecordItem("attachments", place, {
    id: attachment_id,
    message_id: id,
    ...common,
    name,
    ...content,
  });
}

const REMEMBERED = 4096;

/**
 * Creates keys that stay the same in later exports of the chat: from the text of the file and not from how its dates were
 * read. Identical messages are numbered. They occur within a minute, so only recent keys are remembered.
 */
function createKeys(): (...parts: readonly string[]) => string {
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  return (...parts) => {
    const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
    const count = (recent.get(digest) ?? older.get(digest) ?? 0) + 1;
    recent.set(digest, count);
    if (recent.size >= REMEMBERED) [recent, older] = [new Map(), recent];
    return count === 1 ? digest : `${digest}-${count}`;
  };
}

const PARTICIPANTS_MAX = 2048;

/** Collects facts about a chat while its messages are read. */
function createSummary(): { add(message: ChatMessage): void; facts(): object } {
  const participants = new Set<string>();
  let message_count = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    add({ sender, local_ms }) {
      message_count += 1;
      firstMs = Math.min(firstMs, local_ms);
      lastMs = Math.max(lastMs, local_ms);
      if (sender !== undefined && participants.size < PARTICIPANTS_MAX) participants.add(sender);
    },
    facts: () => ({
      participants: [...participants],
      message_count,
      ...(message_count === 0
        ? {}
        : { first_at: new Date(firstMs).toISOString(), last_at: new Date(lastMs).toISOString() }),
    }),
  };
}
