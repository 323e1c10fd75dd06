import type { ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import { parseResume } from "../files/resume.ts";
import { isSqlite } from "../files/sqlite-copy.ts";
import type { FoundExport, Importer, ImportSource } from "../importer.ts";
import { readElements } from "../json/read-elements.ts";
import { asObject, asText } from "../json/values.ts";
import { withCheckpoint } from "../record-item.ts";
import { type DumpContext, isDump, readArchive, readDump } from "./dump.ts";
import { slackManifest } from "./manifest.ts";
import { isStoredFile, listStoredFiles, readMessageFiles } from "./message-files.ts";
import { readSlackMessage } from "./read-message.ts";
import { isWorkspaceList, listRoots, readWorkspace, type Workspace } from "./workspace.ts";

/** Reads a Slack workspace's export: lists of people and channels, and a folder for each channel with a file for each day. */
export const slack: Importer = {
  id: "slack",
  label: "Slack export",
  get manifest() {
    return slackManifest();
  },
  recognition: { kind: "export", find },
  read,
};

const PROBED_DAYS = 32;

/** The lists at the root of an export that are not read. */
const UNREAD_LISTS =
  /^(?:integration_logs|canvases|file_conversations|huddle_transcripts|lists|org_users)\.json$/;

async function find(files: Files): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  const found: FoundExport[] = [];
  for (const root of listRoots(entries)) {
    const days = entries.filter((entry) => parseDay(entry, root) !== undefined);
    if (!(await hasMessages(days))) continue;
    const folders = new Set(days.map((day) => `${root}${parseDay(day, root)}/`));
    const paths = entries.flatMap(({ path }) => {
      const folder = path.slice(0, path.lastIndexOf("/") + 1);
      const name = path.slice(folder.length);
      const isList = folder === root && (isWorkspaceList(name) || UNREAD_LISTS.test(name));
      const isFile = path.startsWith(root) && isStoredFile(path);
      return isList || isFile || folders.has(folder) ? [path] : [];
    });
    found.push({ root, confidence: "signature", reason: "it has the lists and days of a workspace", paths });
  }
  return [...found, ...(await findDumps(entries))];
}

/** slackdump's own forms: a file for each channel, beside folders with its files, or a database. */
async function findDumps(entries: readonly FileEntry[]): Promise<FoundExport[]> {
  const dumps = await listDumps(entries);
  const byRoot = Map.groupBy(dumps, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  return [...byRoot].map(([root, own]) => {
    const taken = new Set(own.map(({ path }) => path));
    const paths = entries.flatMap(({ path }) => {
      const inside = path.slice(root.length);
      const isOwn =
        path.startsWith(root) && (isStoredFile(path) || isWorkspaceList(inside) || LOG.test(inside));
      return isOwn && !taken.has(path) ? [path] : [];
    });
    return {
      root,
      confidence: "signature",
      reason: "it was written by slackdump",
      paths: [...taken, ...paths],
    };
  });
}

const DATABASE = /(?:^|\/)slackdump\.sqlite$/;
const LOG = /^slackdump\.sqlite-(?:wal|shm)$/;

async function listDumps(entries: readonly FileEntry[]): Promise<FileEntry[]> {
  const dumps: FileEntry[] = [];
  for (const entry of entries) {
    if (DATABASE.test(entry.path) ? isSqlite(await entry.head(100)) : await isDump(entry)) dumps.push(entry);
  }
  return dumps;
}

async function hasMessages(days: readonly FileEntry[]): Promise<boolean> {
  for (const day of days.slice(0, PROBED_DAYS)) {
    const head = await readHead(day);
    if (/^\s*\[/.test(head) && /"ts"\s*:\s*"\d+\.\d+"/.test(head)) return true;
  }
  return false;
}

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const { files } = source;
  const entries = await listEntries(files);
  const dumps = await listDumps(entries);
  const [root = dumps[0] && ""] = listRoots(entries);
  if (root === undefined) throw refuseFiles(files, slack.label);
  const workspace: Workspace = { names: { users: new Map(), channels: new Map() }, folders: new Map() };
  const context = { source, workspace, stored: listStoredFiles(entries) };
  const lists = readWorkspace(files, root, workspace);
  // A resumed import needs the names again; their records are stored already.
  for await (const item of lists) if (source.resume === undefined) yield item;
  const { path, counts = [] } = parseResume(source.resume) ?? {};
  const days = path === undefined ? await listDays(files, root) : [];
  const done = days.findIndex((day) => day.path === source.resume) + 1;
  for (const day of days.slice(done)) yield* withCheckpoint(readDay(day, root, context), day.path);
  const first = Math.max(
    0,
    dumps.findIndex((dump) => dump.path === path),
  );
  for (const dump of dumps.slice(first)) {
    const skipped = dump.path === path ? (counts[0] ?? 0) : 0;
    yield* DATABASE.test(dump.path) ? readArchive(dump, context, skipped) : readDump(dump, context, skipped);
  }
}

async function* readDay(day: FileEntry, root: string, context: DumpContext): AsyncGenerator<ImportedItem> {
  const { names, folders } = context.workspace;
  const folder = parseDay(day, root)!;
  const channel = folders.get(folder) ?? { channel_id: folder, channel: folder };
  const seen = new Map<string, number>();
  for await (const element of readElements([day], { noun: "message" })) {
    if (element.kind === "rejected") {
      yield { ...element, checkpoint: undefined };
      continue;
    }
    const ts = asText(asObject(element.value).ts) ?? "";
    const repeat = seen.get(ts) ?? 0;
    seen.set(ts, repeat + 1);
    const message = readSlackMessage(element.value, { channel, names, repeat }, element.place);
    yield* readMessageFiles(element.value, message, context);
  }
}

async function listDays(files: Files, root: string): Promise<FileEntry[]> {
  const days: FileEntry[] = [];
  for await (const file of files.list()) {
    if (parseDay(file, root) !== undefined) days.push(file);
  }
  return days;
}

/** The channel folder that holds a day file. */
function parseDay({ path }: FileEntry, root: string): string | undefined {
  if (!path.startsWith(root)) return undefined;
  return /^([^/]+)\/\d{4}-\d{2}-\d{2}\.json$/.exec(path.slice(root.length))?.[1];
}
