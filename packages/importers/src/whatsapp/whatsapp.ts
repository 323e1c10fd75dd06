import { createHash } from "node:crypto";
import { ApiError, type ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { FileEntry } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { findZoneOffset } from "../zone-offset.ts";
import { findChatExports, nameChat, requireChatFiles } from "./chat-files.ts";
import { whatsappManifest } from "./manifest.ts";
import { findMedia } from "./media.ts";
import { type ChatMessage, findForm, readMessages } from "./read-messages.ts";

/** Reads WhatsApp's "Export chat": a text file, alone or with its media. */
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
  const zone = source.time_zone;
  source.note(
    `${file.path}: the file has no time zone; times were read as ${zone ?? "UTC (--timezone names another)"}.`,
  );
  const chat = nameChat(source.files, file);
  const context = { source, file, chat, chat_id: joinKey(chat ?? "chat"), createKey: createKeys() };
  const summary = createSummary((localMs) => toInstant(source, localMs));
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
  { place, written, local_ms, sender, text, is_notice }: ChatMessage,
): AsyncGenerator<ImportedItem> {
  const kind = sender === undefined || is_notice ? "system" : "message";
  const id = createKey(chat_id, written, sender ?? "", text);
  const local_time = new Date(local_ms).toISOString().slice(0, 19);
  const sent_at = new Date(toInstant(source, local_ms)).toISOString();
  const common = {
    chat_id,
    chat,
    sender: kind === "system" && sender === chat ? undefined : sender,
    sent_at,
    local_time,
  };
  const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
  const media = sender === undefined ? undefined : await findMedia(source.files, folder, text);
  const attachment_id = `${id}/file`;
  yield toRecordItem("messages", place, {
    id,
    ...common,
    text,
    kind,
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

/** A local time as an instant, in the zone that the owner named. */
function toInstant({ time_zone }: ImportSource, localMs: number): number {
  const minutes = time_zone === undefined ? 0 : (findZoneOffset(time_zone, localMs) ?? 0);
  return localMs - minutes * 60_000;
}

const REMEMBERED = 4096;

/**
 * Creates keys that stay stable in later exports of the chat: they derive from the text of the file, not from how its
 * dates were parsed. Identical messages are numbered; they occur within a minute, so only recent keys are remembered.
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
function createSummary(toInstantMs: (localMs: number) => number): {
  add(message: ChatMessage): void;
  facts(): object;
} {
  const participants = new Set<string>();
  let message_count = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    add({ sender, local_ms, is_notice }) {
      message_count += 1;
      firstMs = Math.min(firstMs, local_ms);
      lastMs = Math.max(lastMs, local_ms);
      if (sender !== undefined && !is_notice && participants.size < PARTICIPANTS_MAX)
        participants.add(sender);
    },
    facts: () => ({
      participants: [...participants],
      message_count,
      ...(message_count === 0
        ? {}
        : {
            first_at: new Date(toInstantMs(firstMs)).toISOString(),
            last_at: new Date(toInstantMs(lastMs)).toISOString(),
          }),
    }),
  };
}
