/** Imports that were started by an upload: how far each is, kept in the database so that any server can tell. */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describeRefusal } from "@rungs/contract";
import type { ConsoleContext, ImportFile, ImportJobProgress, ImportOutcome } from "../context.ts";

const KIND = "upload";
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** How often progress is written down. */
const NOTED_MS = 500;

/** One import, as its page shows it. */
export type ImportJob = { readonly name: string; readonly updated_at_ms: number } & (
  | { readonly state: "running"; readonly progress: ImportJobProgress }
  | { readonly state: "done"; readonly outcome: ImportOutcome }
  | { readonly state: "failed"; readonly message: string; readonly next: string }
);

/** Starts the import of an uploaded file, and gives the id under which its progress is found; the file is removed at the end. */
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
    await noteJob(context, import_id, { name, updated_at_ms: context.now(), state: "running", progress });
  } catch (error) {
    await remove();
    throw error;
  }
  void runImport(context, importFile, file, import_id).finally(remove);
  return import_id;
}

/** An import by its id. */
export async function findImport(
  { store, owner_id }: ConsoleContext,
  id: string,
): Promise<ImportJob | undefined> {
  // Nothing but this file writes states of this kind.
  return (await store.getState(owner_id, KIND, id))?.value as ImportJob | undefined;
}

async function runImport(
  context: ConsoleContext,
  importFile: ImportFile,
  { path, name, label }: { readonly path: string; readonly name: string; readonly label: string | undefined },
  id: string,
): Promise<void> {
  let noted_ms = context.now();
  let writing: Promise<void> = Promise.resolve();
  const note = (job: ImportJob) => {
    writing = writing.then(() => noteJob(context, id, job)).catch(() => undefined);
    return writing;
  };
  try {
    const outcome = await importFile({ path, label }, (progress) => {
      const updated_at_ms = context.now();
      if (updated_at_ms - noted_ms < NOTED_MS) return;
      noted_ms = updated_at_ms;
      void note({ name, updated_at_ms, state: "running", progress });
    });
    await note({ name, updated_at_ms: context.now(), state: "done", outcome });
  } catch (error) {
    const { message, next } = describeRefusal(error).body.error;
    await note({ name, updated_at_ms: context.now(), state: "failed", message, next });
  }
}

function noteJob({ store, owner_id, now }: ConsoleContext, id: string, value: ImportJob): Promise<void> {
  return store.putState(owner_id, { kind: KIND, id, value, expires_at_ms: now() + KEPT_MS });
}
