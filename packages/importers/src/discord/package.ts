/** The data package that Discord sends on request: the owner's own messages, a folder for each channel. */
import { posix } from "node:path";
import type { ImportedItem, RejectedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { asId, asObject, asText, asTime, isObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { readCsvRows } from "../tables/csv-rows.ts";
import type { Channel, DiscordContext } from "./context.ts";

const COLUMNS = ["ID", "Timestamp", "Contents", "Attachments"];

const json: FileKind<DiscordContext> = {
  noun: "message",
  path: /\.json$/i,
  isOwn: (head) =>
    /^\s*\[\s*\{/.test(head) &&
    /"ID"\s*:\s*"?\d/.test(head) &&
    /"Timestamp"\s*:/.test(head) &&
    /"Contents"\s*:/.test(head),
  read: readMessage,
};

const csv: FileKind<DiscordContext> = {
  noun: "message",
  path: /(?:^|\/)messages\.csv$/i,
  isOwn: (head) => head.replace(/^\ufeff/, "").startsWith(COLUMNS.join(",")),
  split: splitCsv,
  read: readMessage,
};

const channels: FileKind<DiscordContext> = {
  noun: "channel",
  path: /(?:^|\/)channel\.json$/i,
  isOwn: (head) => /"id"\s*:\s*"\d{15,}"/.test(head) && /"type"\s*:/.test(head),
  *read({ place, file }, context) {
    yield* reportChannel(findChannel(context, file), place, context);
  },
};

const lists: FileKind<DiscordContext> = {
  noun: "list",
  path: /(?:^|\/)index\.json$/i,
  isOwn: (head) => /^\s*\{\s*"\d{15,}"\s*:\s*(?:"|null)/.test(head),
  *read() {},
};

const account: FileKind<DiscordContext> = {
  noun: "account",
  path: /(?:^|\/)user\.json$/i,
  isOwn: (head) =>
    /"id"\s*:\s*"\d{15,}"/.test(head) &&
    /"username"\s*:/.test(head) &&
    /"(?:discriminator|global_name)"\s*:/.test(head),
  *read() {},
};

/** The kinds of files of a data package that are read. */
export const packageKinds: readonly FileKind<DiscordContext>[] = [channels, lists, account, json, csv];

/** The record of a channel, once. */
export function* reportChannel(
  channel: Channel,
  place: string,
  { reported }: DiscordContext,
): Generator<ImportedItem> {
  if (reported.has(channel.id)) return;
  reported.add(channel.id);
  yield toRecordItem("chats", place, { ...channel, id: joinKey(channel.id) });
}

function findChannel({ channels: known, names }: DiscordContext, file: FileEntry): Channel {
  const folder = posix.dirname(file.path);
  const id = posix.basename(folder).replace(/^c(?=\d)/, "");
  const channel = known.get(folder) ?? { id, members: [] };
  return { ...channel, name: names.get(channel.id) ?? channel.name };
}

async function* splitCsv(file: FileEntry, done: number): AsyncGenerator<JsonElement | RejectedItem> {
  const form = {
    kind: "csv",
    charset: "utf-8",
    delimiter: ",",
    newline: "\n",
    has_header: true,
    skip_lines: 0,
  } as const;
  let number = 0;
  for await (const row of readCsvRows(file, { ...form, names: COLUMNS })) {
    number += 1;
    if (number <= done) continue;
    const place = `${file.path}, message ${number}`;
    const checkpoint = formatResume(file.path, number);
    if (row.kind === "problem") yield { kind: "rejected", place, checkpoint, reason: row.reason };
    else yield { kind: "element", file, place, checkpoint, value: row.values };
  }
}

async function* readMessage(
  { value, place, file }: JsonElement,
  context: DiscordContext,
): AsyncGenerator<ImportedItem> {
  const message = asObject(value);
  const number = asId(message.ID);
  if (!isObject(value) || number === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has no ID." };
    return;
  }
  const channel = findChannel(context, file);
  yield* reportChannel(channel, place, context);
  const urls = (asText(message.Attachments) ?? "").split(/\s+/).filter((url) => url !== "");
  yield* yieldWithFiles(context.source, {
    stream: "messages",
    place,
    key: [channel.id, number],
    shared: {
      chat_id: joinKey(channel.id),
      chat: channel.name,
      sender: context.owner.name ?? context.owner.id,
      sent_at: asTime(asText(message.Timestamp)?.replace(" ", "T")),
    },
    data: {
      sender_id: context.owner.id,
      text: asText(message.Contents),
      kind: "message",
      is_own: true,
      server: channel.server,
    },
    files: urls.map((url) => ({ name: nameFile(url), own: { url: url.replace(/\?.*$/s, "") } })),
  });
}

/** URLs of files expire; keep only their names. */
function nameFile(url: string): string {
  const name = posix.basename(url.replace(/[?#].*$/s, ""));
  return name === "" ? "file" : name;
}
