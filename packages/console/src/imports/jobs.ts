/** Import jobs of uploads. Their progress is stored in the database, so that any server process can show it. */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describeRefusal } from "@rungs/contract";
import type { ConsoleContext, ImportFile, ImportJobProgress, ImportOutcome } from "../context.ts";

/** Not `upload`, under which older versions stored another shape. */
const KIND = "import-job";
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** How often progress is saved. */
const SAVE_INTERVAL_MS = 500;

/** One import, as its page shows it. */
export type ImportJob = { readonly name: string; readonly updated_at_ms: number } & (
  | { readonly state: "running"; readonly progress: ImportJobProgress }
  | { readonly state: "done"; readonly outcome: ImportOutcome }
  | { readonly state: "failed"; readonly message: string; readonly next: string }
);

/** Starts the import of an uploaded file in the background and returns the id of its job; removes the file at the end. */
export async function startImport(
  context: ConsoleContext,
  importFile: ImportFile,
  file: { readonly path: string; readonly name: string; readonly label: string | undefined },
): Promise<string> {
  const { name } = file;
  const import_id = randomBytes(12).toString("base64url");
  const progress = { read_bytes: 0, total_bytes: 0 };
  const remove = () => rm(dirname(file.path), { recursive: true, force: true });
  try {
    await saveJob(context, import_id, { name, updated_at_ms: context.now(), state: "running", progress });
  } catch (error) {
    await remove();
    throw error;
  }
  void runJob(context, importFile, file, import_id).finally(remove);
  return import_id;
}

/** Finds an import job by its id. */
export async function findImport(
  { store, owner_id }: ConsoleContext,
  id: string,
): Promise<ImportJob | undefined> {
  // Only this file writes state of this kind.
  return (await store.getState(owner_id, KIND, id))?.value as ImportJob | undefined;
}

async function runJob(
  context: ConsoleContext,
  importFile: ImportFile,
  { path, name, label }: { readonly path: string; readonly name: string; readonly label: string | undefined },
  id: string,
): Promise<void> {
  let saved_at_ms = context.now();
  let writing: Promise<void> = Promise.resolve();
  const save = (job: ImportJob) => {
    writing = writing.then(() => saveJob(context, id, job)).catch(() => undefined);
    return writing;
  };
  try {
    const outcome = await importFile({ path, label }, (progress) => {
      const updated_at_ms = context.now();
      if (updated_at_ms - saved_at_ms < SAVE_INTERVAL_MS) return;
      saved_at_ms = updated_at_ms;
      void save({ name, updated_at_ms, state: "running", progress });
    });
    await save({ name, updated_at_ms: context.now(), state: "done", outcome });
  } catch (error) {
    const { message, next } = describeRefusal(error).body.error;
    await save({ name, updated_at_ms: context.now(), state: "failed", message, next });
  }
}

function saveJob({ store, owner_id, now }: ConsoleContext, id: string, value: ImportJob): Promise<void> {
  return store.putState(owner_id, { kind: KIND, id, value, expires_at_ms: now() + KEPT_MS });
}
