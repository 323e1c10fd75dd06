import { createHash } from "node:crypto";
import { type ImportedItem, REJECTIONS_MAX } from "@rungs/contract";
import { createExtractor, type Files, type ImportSource, withSourceId } from "@rungs/importers";
import {
  type ImportResult,
  type ImportTarget,
  importItems,
  type OwnerContext,
  putConnection,
} from "@rungs/server";
import type { ImportPlan } from "./plan.ts";
import { readAround } from "./read-around.ts";
import { createWatchdog, listStuck, type Watchdog } from "./watchdog.ts";

/** Callbacks of a running import, and the signal that stops it. */
export type ImportObserver = Pick<ImportTarget, "onBatch" | "onRejected" | "stop"> & {
  readonly note: (sentence: string) => void;
  /** Called after each item. */
  readonly onItem: () => void;
};

/** Stores the content of a plan's files. */
export async function runImport(
  plan: ImportPlan,
  owner: OwnerContext,
  observer: ImportObserver,
): Promise<ImportResult> {
  const { store, owner_id } = owner;
  const { connection_id, identity } = plan;
  const known = (await store.listConnections(owner_id)).find((each) => each.connection_id === connection_id);
  const manifest = withSourceId(plan.manifest, known?.source_id);
  const name = manifest.display?.name ?? plan.importer.label;
  // An existing connection keeps its label unless `--label` gives another.
  const label = plan.label ?? (known ? undefined : `${name}: ${plan.files.name}`);
  await putConnection(owner, connection_id, manifest, label);
  const putBlob: ImportSource["putBlob"] = async (bytes, mime_type) => ({
    ...(await store.putBlob(owner_id, connection_id, bytes, mime_type)),
  });
  return withReader(plan, { putBlob, ...observer }, (read) =>
    importItems(read, { ...owner, ...observer, connection_id, identity }),
  );
}

/** What an import would store. */
export interface DryRun {
  readonly streams: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly rejections: readonly DryRunRejection[];
}

/** An item that an import would reject. */
export interface DryRunRejection {
  readonly place: string;
  readonly message: string;
}

type DryRunObserver = Pick<ImportObserver, "note" | "onItem"> & {
  readonly onRejected: ((rejection: DryRunRejection) => void) | undefined;
};

/** Reads a plan's files to the end and stores nothing. */
export async function dryRunImport(plan: ImportPlan, observer: DryRunObserver): Promise<DryRun> {
  const streams: Record<string, number> = {};
  const rejections: DryRunRejection[] = [];
  let rejected = 0;
  await withReader(plan, { ...observer, putBlob: digestBlob }, async (read) => {
    for await (const item of read(undefined)) {
      if (item.kind === "record") {
        streams[item.stream] = (streams[item.stream] ?? 0) + 1;
        continue;
      }
      const rejection = { place: item.place, message: item.reason };
      rejected += 1;
      observer.onRejected?.(rejection);
      if (rejections.length < REJECTIONS_MAX) rejections.push(rejection);
    }
  });
  return { streams, rejected, rejections };
}

const digestBlob: ImportSource["putBlob"] = async (bytes, mime_type) => {
  const hash = createHash("sha256");
  let size_bytes = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size_bytes += chunk.length;
  }
  const sha256 = hash.digest("hex");
  return { blob_id: sha256, sha256, mime_type, size_bytes };
};

type Read = (resume: string | undefined) => AsyncIterable<ImportedItem>;
type ReaderOptions = Pick<ImportSource, "putBlob" | "note"> & Pick<ImportObserver, "onItem">;

/** Calls `work` with a reader of a plan's items, and closes the process that extracts document text afterwards. */
export async function withReader<T>(
  plan: ImportPlan,
  { putBlob, note, onItem }: ReaderOptions,
  work: (read: Read) => Promise<T>,
): Promise<T> {
  const { importer, files, manifest, time_zone, ocr, path } = plan;
  const watched = { path, format: importer.id };
  const extractor = createExtractor({ ocr });
  const watchdog = createWatchdog("read", watched, files);
  const source = {
    manifest,
    time_zone,
    putBlob,
    note,
    extractText: extractor.extract,
    reads_pictures: ocr !== undefined,
  };
  try {
    return await work(async function* (resume) {
      // A resumed run must not report them again.
      if (resume === undefined) yield* rejectRefused(files.refused);
      const items = readAround(files, listStuck("read", watched), resume, (chosen, from) =>
        importer.read({ ...source, files: chosen, resume: from }),
      );
      for await (const item of watchItems(items, watchdog)) {
        yield item;
        onItem();
      }
      // The earlier run may have read them.
      if (resume === undefined && importer.recognition.kind === "export") noteUnread(files, note);
    });
  } finally {
    await watchdog?.close();
    await extractor.close();
  }
}

async function* watchItems(
  items: AsyncGenerator<ImportedItem>,
  watchdog: Watchdog | undefined,
): AsyncGenerator<ImportedItem> {
  if (!watchdog) return yield* items;
  try {
    for (;;) {
      const { done, value } = await watchdog.watch(() => items.next());
      if (done) return;
      watchdog.pass(value.checkpoint);
      yield value;
    }
  } finally {
    // Not awaited: it would wait for the item that is being read.
    items.return(undefined).catch(() => undefined);
  }
}

const SHOWN_UNREAD = 5;

function noteUnread(files: Files, note: ImportSource["note"]): void {
  const unread = files.listUnread();
  if (unread.length === 0) return;
  const more = unread.length > SHOWN_UNREAD ? ", …" : "";
  const shown = unread.slice(0, SHOWN_UNREAD).join(", ");
  note(
    `Files of the export that the format does not read or nothing refers to: ${unread.length} (${shown}${more})`,
  );
}

function* rejectRefused(refused: ImportPlan["files"]["refused"]): Generator<ImportedItem> {
  for (const { path, reason } of refused) yield { kind: "rejected", place: path, reason };
}
