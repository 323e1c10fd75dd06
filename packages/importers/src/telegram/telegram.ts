import type { ImportedItem } from "@rungs/contract";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { type JsonFormat, recogniseJson, requireJsonFiles } from "../json/json-format.ts";
import { joinKey, toRecordItem, withCheckpoint } from "../record-item.ts";
import { telegramManifest } from "./manifest.ts";
import { type MessageContext, readTelegramMessage } from "./read-message.ts";
import { type Found, walkChats } from "./walk-chats.ts";

const CHAT_TYPE =
  /"type"\s*:\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_(?:group|supergroup|channel))"/;

const results: JsonFormat = {
  label: "Telegram export",
  names: /^result\.json$/,
  companions:
    /^(?:(?:chats|files|voice_messages|video_files|round_video_messages|stickers|contacts|profile_pictures|stories)\/.*|photos\/photo_[^/]*)$/,
  isOwn: (head) =>
    /^\s*\{/.test(head) &&
    ((CHAT_TYPE.test(head) && /"messages"\s*:/.test(head)) ||
      /^\s*\{\s*"about"\s*:.*\bTelegram\b/s.test(head)),
};

/** Reads Telegram Desktop's machine-readable export: `result.json` of one chat or of an account, with its files. */
export const telegram: Importer = {
  id: "telegram",
  label: results.label,
  get manifest() {
    return telegramManifest();
  },
  recognition: recogniseJson(results),
  read,
};

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const files = await requireJsonFiles(source.files, results);
  const { path, counts = [] } = parseResume(source.resume) ?? {};
  const first = Math.max(
    0,
    files.findIndex((file) => file.path === path),
  );
  const noteLocalTimes = createNoteOnce(source);
  for (const file of files.slice(first)) {
    const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
    for await (const found of walkChats(file, file.path === path ? (counts[0] ?? 0) : 0)) {
      const items = readFound({ source, folder, noteLocalTimes }, found);
      if (found.kind === "message") yield* withCheckpoint(items, formatResume(file.path, found.count));
      else yield* items;
    }
  }
}

async function* readFound(context: MessageContext, found: Found): AsyncGenerator<ImportedItem> {
  if (found.kind === "rejected") yield found;
  else if (found.kind === "chat") {
    const { id, name, kind } = found.chat;
    yield toRecordItem("chats", found.place, { id: joinKey(id), name, kind });
  } else yield* readTelegramMessage(context, found.chat, found.value, found.place);
}

function createNoteOnce(source: ImportSource): () => void {
  let said = false;
  return () => {
    if (!said) source.note("Some messages have only a local time without a zone; it was read as UTC.");
    said = true;
  };
}
