/** Imports an upload in the background, under the record that its page shows. */
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { ImportRecorder } from "@rungs/server";
import type { ImportFile } from "../context.ts";

/** Imports an uploaded file, and removes it at the end. Never rejects: the record has the failure. */
export async function runUpload(
  recorder: ImportRecorder,
  importFile: ImportFile,
  { path, label }: { readonly path: string; readonly label: string | undefined },
): Promise<void> {
  try {
    const { stop } = recorder;
    await recorder.end(await importFile({ path, label, stop }, (progress) => recorder.report(progress)));
  } catch (error) {
    await recorder.fail(error).catch(() => undefined);
  } finally {
    await rm(dirname(path), { recursive: true, force: true });
  }
}
