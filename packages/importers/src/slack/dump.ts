/** The other formats of slackdump: a JSON file for each channel, and a database. */
import type { ImportedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { readHead } from "../files/probe.ts";
import { formatResume } from "../files/resume.ts";
import { readSqlite } from "../files/sqlite-copy.ts";
import { listTables, scanTable } from "../files/sqlite-scan.ts";
import type { ImportSource } from "../importer.ts";
import { parseExactJson } from "../json/parse-json.ts";
import { readElements } from "../json/read-elements.ts";
import { readMembers } from "../json/read-members.ts";
import { asId, asObject, asObjects, asText, type ExportedObject } from "../json/values.ts";
import { joinKey, toRecordItem, withCheckpoint } from "../record-item.ts";
import { type FilesById, readMessageFiles } from "./message-files.ts";
import { readSlackMessage } from "./read-message.ts";
import { addChannel, addUser, type Workspace } from "./workspace.ts";

/** What the readers of messages share. */
export interface DumpContext {
  readonly source: ImportSource;
  readonly workspace: Workspace;
  readonly stored: FilesById;
}

/** Whether a file is a channel of slackdump, by its first bytes. */
export async function isDump(entry: FileEntry): Promise<boolean> {
  if (!/\.json$/i.test(entry.path)) return false;
  const head = await readHead(entry);
  return (
    /^\s*\{/.test(head) &&
    /"messages"\s*:\s*\[/.test(head) &&
    /"channel_id"\s*:\s*"[A-Z0-9]+"/.test(head) &&
    /"ts"\s*:\s*"\d+\.\d+"/.test(head)
  );
}

/** The messages of a channel, each with its replies. `done` were read before. */
export async function* readDump(
  file: FileEntry,
  context: DumpContext,
  done: number,
): AsyncGenerator<ImportedItem> {
  const facts = await readMembers(file, "messages");
  const channel_id = asText(facts.channel_id) ?? file.path;
  const { names } = context.workspace;
  const channel = names.channels.get(channel_id) ?? asText(facts.name) ?? channel_id;
  if (done === 0 && !names.channels.has(channel_id)) {
    yield toRecordItem("channels", file.path, { id: joinKey(channel_id), name: channel });
  }
  for await (const element of readElements([file], { noun: "message", list: "messages", done })) {
    if (element.kind === "rejected") yield element;
    else {
      const { value, place, checkpoint } = element;
      yield* withCheckpoint(
        readWithReplies(value, place, { ...context, channel: { channel_id, channel } }),
        checkpoint,
      );
    }
  }
}

type ChannelContext = DumpContext & {
  readonly channel: { readonly channel_id: string; readonly channel: string };
};

async function* readWithReplies(
  value: unknown,
  place: string,
  context: ChannelContext,
): AsyncGenerator<ImportedItem> {
  const { channel, workspace } = context;
  const settings = { channel, names: workspace.names, repeat: 0 };
  yield* readMessageFiles(value, readSlackMessage(value, settings, place), context);
  const { ts, slackdump_thread_replies } = asObject(value);
  for (const [at, reply] of asObjects(slackdump_thread_replies).entries()) {
    // The first of the replies is the message itself.
    if (reply.ts === ts) continue;
    const item = readSlackMessage(reply, settings, `${place}, reply ${at + 1}`);
    yield* readMessageFiles(reply, item, context);
  }
}

/** The rows of slackdump's database: people, channels, and the newest version of each message. */
export async function* readArchive(
  file: FileEntry,
  context: DumpContext,
  after: number,
): AsyncGenerator<ImportedItem> {
  const { source, workspace } = context;
  yield* readSqlite(source.files, file, async function* (database): AsyncGenerator<ImportedItem> {
    const tables = listTables(database);
    if (!["MESSAGE", "CHANNEL", "S_USER"].every((name) => tables.has(name))) {
      yield { kind: "rejected", place: file.path, reason: "The database has no tables of slackdump." };
      return;
    }
    const lists: ImportedItem[] = [];
    const seen = new Set<string>();
    const remember = (
      table: string,
      add: (value: ExportedObject, id: string, place: string) => ImportedItem,
    ) => {
      for (const row of scanTable(database, { table, columns: ["ID", "DATA"] })) {
        const id = asId(row.ID);
        if (id === undefined || seen.has(`${table} ${id}`)) continue;
        seen.add(`${table} ${id}`);
        lists.push(add(parseData(row.DATA), id, `${file.path}, ${table} ${row.row_id}`));
      }
    };
    remember("S_USER", (value, id, place) => addUser(value, { id, place, workspace }));
    remember("CHANNEL", (value, id, place) =>
      addChannel(value, { id, place, workspace, kind: findKind(value) }),
    );
    if (after === 0) yield* lists;
    const newest = new Map<string, bigint>();
    for (const row of scanTable(database, { table: "MESSAGE", columns: ["CHANNEL_ID", "TS"] })) {
      newest.set(`${row.CHANNEL_ID} ${row.TS}`, row.row_id);
    }
    const columns = ["CHANNEL_ID", "TS", "DATA"];
    for (const row of scanTable(database, { table: "MESSAGE", columns, after })) {
      if (newest.get(`${row.CHANNEL_ID} ${row.TS}`) !== row.row_id) continue;
      const channel_id = asText(row.CHANNEL_ID) ?? "";
      const channel = { channel_id, channel: workspace.names.channels.get(channel_id) ?? channel_id };
      const place = `${file.path}, message ${row.row_id}`;
      const value = parseData(row.DATA);
      const message = readSlackMessage(value, { channel, names: workspace.names, repeat: 0 }, place);
      yield* withCheckpoint(
        readMessageFiles(value, message, context),
        formatResume(file.path, Number(row.row_id)),
      );
    }
  });
}

function parseData(data: unknown): ExportedObject {
  const text = data instanceof Uint8Array ? Buffer.from(data).toString() : String(data ?? "");
  return asObject(parseExactJson(text));
}

function findKind({ is_im, is_mpim, is_private }: ExportedObject): string {
  return is_im ? "direct" : is_mpim ? "group" : is_private ? "private" : "public";
}
