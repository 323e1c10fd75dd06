/** Exports in a watched folder, such as mbox files and archives: each is imported into its own connection when it is new or changed. */
import { createHash } from "node:crypto";
import { CodedError } from "@rungs/evidence";
import { selectFiles } from "@rungs/importers";
import type { SyncItem } from "@rungs/store";
import type { PlannedExport, SourceChange, SourceTask } from "../live-source.ts";
import type { FileStamp, FolderScan, ScannedFile } from "./scan.ts";
import type { FolderSettings } from "./settings.ts";

const COLLECTION = "exports";

/** Failures unrelated to the export: the run fails, and the next one retries. */
const OUTSIDE = new Set(["database_unavailable", "sync_busy"]);

/** The stored state of one file of an export. */
export interface ExportFileState extends FileStamp {
  readonly is_export: true;
}

/** The stored state of an export. */
interface ExportState {
  readonly identity: string;
}

/** What else a folder holds besides documents. */
export interface FoundExports {
  /** The files of exports, which are not read as documents. */
  readonly paths: ReadonlySet<string>;
  /** The cursor with which the next run skips the search, given the files that turned out to be documents. */
  remember(documents: ReadonlySet<string>): Extract<SourceChange, { kind: "cursor" }>;
}

/** Imports the exports among files other than documents. It opens nothing while those files are the same as in the last run. */
export async function* importExports(
  task: SourceTask,
  { path, documents_only = false }: FolderSettings,
  scan: FolderScan,
  known: ReadonlyMap<string, SyncItem>,
): AsyncGenerator<SourceChange, FoundExports | undefined> {
  if (documents_only || !task.planExports) return undefined;
  const candidates = scan.files.filter(({ entry }) => !isDocument(known.get(entry.path)));
  let isWhole = true;
  const found = (paths: Iterable<string>): FoundExports => ({
    paths: new Set(paths),
    remember(documents) {
      const rest = candidates.filter(({ entry }) => !documents.has(entry.path));
      return { kind: "cursor", collection: COLLECTION, cursor: isWhole ? digestFiles(rest) : null };
    },
  });
  const cursor = task.cursors.find(({ collection }) => collection === COLLECTION)?.cursor;
  if (cursor === digestFiles(candidates)) return found(listClaimed(candidates, known));
  const entries = candidates.map(({ entry }) => entry);
  const files = selectFiles(scan.folder, { name: scan.folder.name, root: "", entries, refused: [] });
  const { exports, close } = await task.planExports(files, path);
  try {
    const earlier = new Map<string, SyncItem>();
    for await (const item of task.listItems(COLLECTION)) earlier.set(item.item, item);
    for (const [at, each] of exports.entries()) {
      const { connection_id: item, identity } = each;
      task.report({ collection: COLLECTION, done: at, total: exports.length });
      // Only this function makes them.
      const state = earlier.get(item)?.state as ExportState | undefined;
      earlier.delete(item);
      if (state?.identity === identity) continue;
      if (await importOne(task, each))
        yield { kind: "seen", collection: COLLECTION, item, state: { identity } satisfies ExportState };
      // The owner stopped it: the next run resumes.
      else isWhole = false;
    }
    // The records of an export that is gone stay, as those of any import.
    for (const item of earlier.keys()) yield { kind: "remove", collection: COLLECTION, item };
  } finally {
    await close();
  }
  const claimed = found(exports.flatMap(({ file_paths }) => file_paths));
  for (const { entry, stamp } of candidates) {
    if (!claimed.paths.has(entry.path)) continue;
    const state: ExportFileState = { ...stamp, is_export: true };
    yield { kind: "seen", collection: "files", item: entry.path, state };
  }
  return claimed;
}

/** Whether the import has ended, successfully or not: an unreadable export is retried only once it changes. */
async function importOne(task: SourceTask, { connection_id, path, run }: PlannedExport): Promise<boolean> {
  try {
    const { added, changed, rejected, is_finished } = await run(task.signal);
    task.note(
      `${path} was imported into the connection ${connection_id}: ${added} added, ${changed} changed, ${rejected} rejected.`,
    );
    return is_finished;
  } catch (error) {
    if (!(error instanceof CodedError) || OUTSIDE.has(error.code)) throw error;
    task.note(`${path} was not imported: ${error.message}`);
    return true;
  }
}

function isDocument(item: SyncItem | undefined): boolean {
  return (
    item !== undefined && item.record_id !== "" && (item.state as { is_linked?: boolean }).is_linked !== true
  );
}

function listClaimed(files: readonly ScannedFile[], known: ReadonlyMap<string, SyncItem>): string[] {
  const isClaimed = (path: string) => (known.get(path)?.state as ExportFileState | undefined)?.is_export;
  return files.map(({ entry }) => entry.path).filter(isClaimed);
}

function digestFiles(files: readonly ScannedFile[]): string {
  const hash = createHash("sha256");
  for (const { entry, stamp } of files)
    hash.update(JSON.stringify([entry.path, stamp.size_bytes, stamp.modified_ns]));
  return hash.digest("base64url");
}
