/** Imports an upload in the background, under the record that its page shows. */
import { rm } from "node:fs/promises";
import type { ImportRecorder } from "@rungs/server";
import type { ImportFile } from "../context.ts";
import type { Upload } from "./receive-upload.ts";

/** Imports an uploaded file, and removes it at the end. Never rejects: the record has the failure. */
export async function runUpload(
  recorder: ImportRecorder,
  importFile: ImportFile,
  { path, folder, label, format, is_look }: Upload,
): Promise<void> {
  try {
    const { stop } = recorder;
    await recorder.end(
      await importFile({ path, label, format, is_look, stop }, (progress) => recorder.report(progress)),
    );
  } catch (error) {
    await recorder.fail(error).catch(() => undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
