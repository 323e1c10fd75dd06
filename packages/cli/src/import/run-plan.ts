import type { ImportedItem } from "@rungs/contract";
import { createExtractor, type ImportSource } from "@rungs/importers";
import {
  type ImportResult,
  type ImportTarget,
  importItems,
  type OwnerParts,
  putConnection,
} from "@rungs/server";
import type { ImportPlan } from "./plan.ts";

/** What is done beside storing: who is told, and what can stop it. */
export type ImportWatch = Pick<ImportTarget, "onBatch" | "onRejected" | "stop"> & {
  readonly note: (sentence: string) => void;
  /** Told after each item. */
  readonly onItem: () => void;
};

/** Stores what a plan's files hold. */
export async function runPlan(
  plan: ImportPlan,
  parts: OwnerParts,
  watch: ImportWatch,
): Promise<ImportResult> {
  const { store, owner_id } = parts;
  const { connection_id, identity, manifest } = plan;
  await putConnection(parts, connection_id, manifest, await labelFor(plan, parts));
  const putBlob: ImportSource["putBlob"] = async (bytes, mime_type) => ({
    ...(await store.putBlob(owner_id, bytes, mime_type)),
  });
  return withReader(plan, { putBlob, ...watch }, (read) =>
    importItems(read, { ...parts, ...watch, connection_id, identity }),
  );
}

/** A connection that is here keeps its name unless another was asked for. */
async function labelFor(plan: ImportPlan, { store, owner_id }: OwnerParts): Promise<string | undefined> {
  const connections = await store.listConnections(owner_id);
  const isKnown = connections.some(({ connection_id }) => connection_id === plan.connection_id);
  const name = plan.manifest.display?.name ?? plan.importer.label;
  return plan.label ?? (isKnown ? undefined : `${name}: ${plan.files.name}`);
}

type Read = (resume: string | undefined) => AsyncIterable<ImportedItem>;
type ReaderParts = Pick<ImportSource, "putBlob" | "note"> & Pick<ImportWatch, "onItem">;

/** Lends a reader of a plan's items, and the thread that reads documents. */
export async function withReader<T>(
  { importer, files, manifest }: ImportPlan,
  { putBlob, note, onItem }: ReaderParts,
  work: (read: Read) => Promise<T>,
): Promise<T> {
  const extractor = createExtractor();
  const source = { files, manifest, putBlob, note, extractText: extractor.extract };
  try {
    return await work(async function* (resume) {
      // An earlier run has reported them already.
      if (resume === undefined) yield* rejectRefused(files.refused);
      for await (const item of importer.read({ ...source, resume })) {
        yield item;
        onItem();
      }
    });
  } finally {
    await extractor.close();
  }
}

function* rejectRefused(refused: ImportPlan["files"]["refused"]): Generator<ImportedItem> {
  for (const { path, reason } of refused) yield { kind: "rejected", place: path, reason };
}
