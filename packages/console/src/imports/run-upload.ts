/** Imports an upload in the background, under the record that its page shows. */
import { rm } from "node:fs/promises";
import type { ImportRecorder, ImportRunProgress, Turn } from "@rungs/server";
import type { ImportFile } from "../context.ts";
import type { ImportTurns } from "./import-turns.ts";
import type { KeptUploads, Upload } from "./kept-uploads.ts";

/** The importer of an owner's uploads, its turns, and the store of inspected uploads. */
interface UploadContext {
  readonly importFile: ImportFile;
  readonly uploads: KeptUploads;
  readonly importTurns: ImportTurns;
  readonly owner_id: string;
}

/**
 * Imports an uploaded file, and then removes it; keeps one that was only inspected. Never rejects: the record has the
 * failure.
 */
export async function runUpload(
  recorder: ImportRecorder,
  { importFile, uploads, importTurns, owner_id }: UploadContext,
  upload: Upload,
): Promise<void> {
  const { path, folder, label, format, is_look } = upload;
  let isKept = false;
  let turn: Turn | undefined;
  const { stop } = recorder;
  try {
    turn = await importTurns.takeImport(owner_id, stop);
    const report = (progress: ImportRunProgress) => recorder.report(progress);
    const end = await importFile({ path, label, format, is_look, stop }, report);
    isKept = is_look && end.state === "done";
    if (isKept) uploads.keep(recorder.import_id, upload);
    await recorder.end(end);
  } catch (error) {
    const isEndedEarly = turn === undefined && stop.aborted;
    const end = () => (isEndedEarly ? recorder.end({ state: "stopped", imports: [] }) : recorder.fail(error));
    await end().catch(() => undefined);
  } finally {
    turn?.end();
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}
