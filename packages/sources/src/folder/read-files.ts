/** What changed in a folder since the last scan. A renamed file stays the same record. */
import { createHash } from "node:crypto";
import { ApiError, type ImportedRecord } from "@rungs/contract";
import { createReferences, type FileEntry, readDocumentFile, readLinkedFile } from "@rungs/importers";
import type { SyncItem } from "@rungs/store";
import type { SourceChange, SourceTask } from "../live-source.ts";
import { importExports } from "./import-exports.ts";
import { type FileStamp, type FolderScan, type ScannedFile, scanFolder } from "./scan.ts";
import { requireFolderSettings } from "./settings.ts";

const COLLECTION = "files";

/** The stored state of a file that is a record. */
interface FileState extends FileStamp {
  /** The digest of its bytes, by which a copy that replaced the file is recognized. */
  readonly digest: string;
  /** The targets of a note's links. */
  readonly links?: readonly string[] | undefined;
  /** A file without text, which is there because a note links to it. */
  readonly is_linked?: boolean | undefined;
}

export async function* readFiles(task: SourceTask): AsyncGenerator<SourceChange> {
  const settings = requireFolderSettings(task.settings);
  const scan = await scanFolder(settings);
  const known = new Map<string, SyncItem>();
  for await (const item of task.listItems(COLLECTION)) known.set(item.item, item);
  if (scan.files.length === 0 && known.size > 0) throw refuseEmpty(settings.path, known.size);
  const exports = yield* importExports(task, settings, scan, known);
  if (task.signal.aborted) return;
  const isFree = (path: string) => !exports?.paths.has(path);
  const reading = new FolderReading(
    task,
    { ...scan, files: scan.files.filter(({ entry }) => isFree(entry.path)) },
    new Map([...known].filter(([path]) => isFree(path))),
  );
  yield* reading.readDocuments();
  yield* reading.readLinked();
  yield* reading.dropGone();
  if (exports && !task.signal.aborted) yield exports.remember(reading.documents);
}

/** One scan, file by file. */
class FolderReading {
  readonly #task: SourceTask;
  readonly #scan: FolderScan;
  readonly #known: ReadonlyMap<string, SyncItem>;
  /** Items whose files were deleted or moved. */
  readonly #missing: SyncItem[];
  readonly #keys: Set<string>;
  /** Items whose files were renamed, by the new name. */
  readonly #moved: ReadonlyMap<string, SyncItem>;
  readonly #claimed: Set<SyncItem>;
  readonly #references = createReferences();
  readonly #others: ScannedFile[] = [];
  /** The files that this run read as documents. */
  readonly documents = new Set<string>();

  constructor(task: SourceTask, scan: FolderScan, known: ReadonlyMap<string, SyncItem>) {
    const there = new Map(scan.files.map(({ entry, stamp }) => [entry.path, stamp.identity]));
    this.#task = task;
    this.#scan = scan;
    this.#known = known;
    this.#missing = [...known.values()].filter(({ item }) => !there.has(item) && !scan.isHidden(item));
    this.#moved = findMoved(scan, known, there);
    this.#claimed = new Set(this.#moved.values());
    this.#keys = new Set([...known.values()].map(({ record_id }) => record_id));
  }

  async *readDocuments(): AsyncGenerator<SourceChange> {
    const { files } = this.#scan;
    for (const [at, file] of files.entries()) {
      const { entry, stamp } = file;
      if (this.#task.signal.aborted) return;
      this.#task.report({ collection: COLLECTION, done: at, total: files.length });
      const state = readState(this.#known.get(entry.path));
      if (state && !state.is_linked && isSame(state, stamp)) {
        this.#references.add(entry.path, state.links ?? []);
        continue;
      }
      const read = await readDocumentFile(entry, this.#task);
      if (read === undefined) this.#others.push(file);
      else if (read.kind === "rejected") yield this.#reject(file, read.reason);
      else {
        const links = read.data.links as readonly string[] | undefined;
        this.#references.add(entry.path, links ?? []);
        this.documents.add(entry.path);
        yield await this.#put(file, read, { links });
      }
    }
  }

  /** Reads pictures and other files without text; keeps only those that a note links to. */
  async *readLinked(): AsyncGenerator<SourceChange> {
    for (const file of this.#others) {
      const { entry, stamp } = file;
      if (this.#task.signal.aborted) return;
      const item = this.#known.get(entry.path);
      const state = readState(item);
      if (!this.#references.has(entry.path)) {
        if (item) yield { kind: "remove", collection: COLLECTION, item: entry.path };
      } else if (!state || !isSame(state, stamp)) {
        const read = await readLinkedFile(entry, this.#task);
        if (read.kind === "rejected") yield this.#reject(file, read.reason);
        else yield await this.#put(file, read, { is_linked: true });
      }
    }
  }

  async *dropGone(): AsyncGenerator<SourceChange> {
    if (this.#task.signal.aborted) return;
    for (const { item } of this.#missing) yield { kind: "remove", collection: COLLECTION, item };
  }

  async #put(
    { entry, stamp }: ScannedFile,
    record: ImportedRecord,
    more: Pick<FileState, "links" | "is_linked">,
  ): Promise<SourceChange> {
    const digest = await digestFile(entry);
    const id = this.#findKey(entry.path, stamp.size_bytes, digest) ?? this.#createKey(String(record.key));
    this.#keys.add(id);
    const state: FileState = { ...stamp, digest, ...more };
    const renamed = { ...record, key: id, data: { ...record.data, id } };
    return { kind: "put", collection: COLLECTION, item: entry.path, records: [renamed], state };
  }

  /** The key that the file has, or had under its earlier name. */
  #findKey(path: string, size_bytes: number, digest: string): string | undefined {
    const known = this.#known.get(path);
    if (known && !this.#claimed.has(known)) return known.record_id || undefined;
    // Empty files are not copies of each other.
    const isCopy = (each: SyncItem) => !this.#claimed.has(each) && readState(each)?.digest === digest;
    const moved = this.#moved.get(path) ?? (size_bytes > 0 ? this.#missing.find(isCopy) : undefined);
    if (moved) this.#claimed.add(moved);
    return moved?.record_id || undefined;
  }

  /** A new file under the old name of a renamed one needs another key. */
  #createKey(named: string): string {
    let key = named;
    for (let number = 2; this.#keys.has(key); number += 1) key = `${named}~${number}`;
    return key;
  }

  #reject({ entry: { path }, stamp }: ScannedFile, reason: string): SourceChange {
    return { kind: "reject", collection: COLLECTION, item: path, place: path, reason, state: stamp };
  }
}

/** Finds the items whose files exist under a new name, and no longer under the old one. */
function findMoved(
  { files }: FolderScan,
  known: ReadonlyMap<string, SyncItem>,
  there: ReadonlyMap<string, string>,
): Map<string, SyncItem> {
  const left = new Map(
    [...known.values()]
      .map((item) => [readState(item)?.identity, item] as const)
      .filter(([identity, { item, record_id }]) => record_id !== "" && there.get(item) !== identity),
  );
  return new Map(
    files.flatMap(({ entry: { path }, stamp }) => {
      const item = known.has(path) ? undefined : left.get(stamp.identity);
      return item ? [[path, item] as const] : [];
    }),
  );
}

/** Only `FolderReading` makes them. */
function readState(item: SyncItem | undefined): FileState | undefined {
  return item?.state as FileState | undefined;
}

function isSame(a: FileStamp, b: FileStamp): boolean {
  return a.size_bytes === b.size_bytes && a.modified_ns === b.modified_ns && a.identity === b.identity;
}

async function digestFile(entry: FileEntry): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of entry.open()) hash.update(chunk);
  return hash.digest("base64url");
}

function refuseEmpty(path: string, count: number): ApiError {
  return new ApiError("source_broken", {
    message: `${path} is empty, although ${count} files were read from it before. Nothing was deleted.`,
    next: "Check that its disk is connected. If the files are really gone, rungs delete takes their records out.",
  });
}
