import type { ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import type { FoundExport, Importer, ImportSource } from "../importer.ts";
import { readElements } from "../json/read-elements.ts";
import { asObject, asText } from "../json/values.ts";
import { withCheckpoint } from "../record-item.ts";
import { slackManifest } from "./manifest.ts";
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
      return isList || folders.has(folder) ? [path] : [];
    });
    found.push({ root, confidence: "signature", reason: "it has the lists and days of a workspace", paths });
  }
  return found;
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
  const [root] = listRoots(await listEntries(files));
  if (root === undefined) throw refuseFiles(files, slack.label);
  const workspace: Workspace = { names: { users: new Map(), channels: new Map() }, folders: new Map() };
  const lists = readWorkspace(files, root, workspace);
  // A resumed import needs the names again; their records are stored already.
  for await (const item of lists) if (source.resume === undefined) yield item;
  const days = await listDays(files, root);
  const done = days.findIndex(({ path }) => path === source.resume) + 1;
  for (const day of days.slice(done)) yield* withCheckpoint(readDay(day, root, workspace), day.path);
}

async function* readDay(
  day: FileEntry,
  root: string,
  { names, folders }: Workspace,
): AsyncGenerator<ImportedItem> {
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
    yield readSlackMessage(element.value, { channel, names, repeat }, element.place);
  }
}

async function listDays(files: Files, root: string): Promise<FileEntry[]> {
  const days: FileEntry[] = [];
  for await (const file of files.list()) {
    if (parseDay(file, root) !== undefined) days.push(file);
  }
  return days;
}

/** The folder of a channel that a file is a day of. */
function parseDay({ path }: FileEntry, root: string): string | undefined {
  if (!path.startsWith(root)) return undefined;
  return /^([^/]+)\/\d{4}-\d{2}-\d{2}\.json$/.exec(path.slice(root.length))?.[1];
}
