/** The folders of signal-export (sigexport): one for each chat, with `data.json`, `chat.md`, `index.html` and `media/`. */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { readLines } from "../json/read-lines.ts";
import { asList, asObject, asObjects, asText, isObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { findZoneOffset } from "../zone-offset.ts";
import type { SignalContext } from "./context.ts";

/** The messages of one chat, a line for each. */
export const sigexportChats: FileKind<SignalContext> = {
  noun: "message",
  path: /\.json$/i,
  isOwn: (head) =>
    /^\s*\{/.test(head) &&
    ["date", "sender", "body", "quote", "reactions"].every((name) => head.includes(`"${name}":`)),
  split: (file, done) => readLines(file, "message", done),
  read: readMessage,
};

async function* readMessage(
  { value, place, file }: JsonElement,
  context: SignalContext,
): AsyncGenerator<ImportedItem> {
  const message = asObject(value);
  const [sender, date] = [asText(message.sender), asText(message.date)];
  if (!isObject(value) || sender === undefined || date === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has no sender or no date." };
    return;
  }
  const folder = posix.dirname(file.path);
  const chat = folder === "." ? posix.basename(context.source.files.name) : posix.basename(folder);
  if (!context.reported.has(chat)) {
    context.reported.add(chat);
    yield toRecordItem("chats", place, { id: joinKey(chat), name: chat });
  }
  const files = await Promise.all(
    asObjects(message.attachments).map(async ({ name, path }) => {
      const written = (asText(path) ?? "").replaceAll("%20", " ");
      const entry = await context.source.files.find(posix.join(folder, written));
      return { name: asText(name) ?? (posix.basename(written) || "file"), entry };
    }),
  );
  const text = [asText(message.body)?.trimEnd(), asText(asObject(message.sticker).emoji)]
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
  const digest = createHash("sha256")
    .update(JSON.stringify([text, message.attachments]))
    .digest("hex")
    .slice(0, 16);
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    key: [chat, date, sender, digest],
    shared: { chat_id: joinKey(chat), chat, sender, sent_at: toTime(date, context.source.time_zone) },
    data: {
      text,
      kind: message.call === true ? "call" : "message",
      is_own: sender === "Me",
      quote: asText(message.quote)?.replaceAll(/^> ?/gm, "").trim(),
      // A pair of a name and an emoji.
      reactions: asList(message.reactions).map((reaction) => {
        const [name, emoji] = Array.isArray(reaction)
          ? reaction
          : [asObject(reaction).name, asObject(reaction).emoji];
        return { sender: asText(name), emoji: asText(emoji) };
      }),
    },
    files,
  });
}

/** The date is in the zone of the machine that exported, and does not say which. */
function toTime(date: string, time_zone = "UTC"): string | undefined {
  const localMs = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(date) ? date : `${date}Z`);
  if (Number.isNaN(localMs)) return undefined;
  const offset = /(?:Z|[+-]\d{2}:?\d{2})$/.test(date) ? 0 : (findZoneOffset(time_zone, localMs) ?? 0);
  const time = new Date(localMs - offset * 60_000).toISOString();
  return time.length === 24 ? time : undefined;
}
