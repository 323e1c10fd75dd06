import { stat } from "node:fs/promises";
import type { Client, OpenBlob } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import type { CommandCall } from "../command/command.ts";
import { BrokenOff } from "../command/exit.ts";
import { createProgress } from "../command/progress.ts";
import { openPartFile, type PartFile, reportBreak } from "./part-file.ts";

/** Which blob to download, and where to. */
export interface Download {
  readonly client: Client;
  readonly blob_id: string;
  readonly file: string;
  readonly call: CommandCall;
}

/** A finished download, as `--json` prints it. */
export interface Downloaded {
  readonly blob_id: string;
  readonly file: string;
  readonly size_bytes: number;
  /** How many of the bytes an earlier attempt had downloaded. */
  readonly resumed_bytes: number;
}

const DIGEST = /^[0-9a-f]{64}$/;

/** Downloads a blob into a file: resumes an interrupted attempt, and verifies the whole against its digest. */
export async function downloadBlob(download: Download): Promise<Downloaded> {
  const { client, blob_id, file } = download;
  const part = await openPartFile(file);
  let resumed_bytes = await resume(download, part);
  if (DIGEST.test(blob_id) && (await part.digest()) !== blob_id) {
    // The earlier attempt may have been for another blob: download it again from the beginning.
    if (resumed_bytes > 0) await receive(await client.openBlob({ blob_id }), part, "replace", download);
    if (resumed_bytes === 0 || (await part.digest()) !== blob_id) {
      await part.discard();
      throw new BrokenOff(
        "The bytes that arrived do not match the blob's digest; run the same command again.",
      );
    }
    resumed_bytes = 0;
  }
  await part.finish();
  return { blob_id, file, size_bytes: (await stat(file)).size, resumed_bytes };
}

/** Downloads one range of a blob into a file; never resumes. */
export async function downloadRange(download: Download, range: string): Promise<Downloaded> {
  const { client, blob_id, file } = download;
  const part = await openPartFile(file);
  const opened = await client.openBlob({ blob_id, range });
  await receive(opened, part, "replace", download);
  await part.finish();
  return { blob_id, file, size_bytes: opened.size_bytes, resumed_bytes: 0 };
}

async function resume(download: Download, part: PartFile): Promise<number> {
  const { client, blob_id } = download;
  const { left_bytes } = part;
  if (left_bytes > 0) {
    try {
      const opened = await client.openBlob({ blob_id, range: `bytes=${left_bytes}-` });
      await receive(opened, part, opened.start === left_bytes ? "append" : "replace", download);
      return opened.start;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "range_not_satisfiable") throw error;
      if (error.details.size_bytes === left_bytes) return left_bytes;
    }
  }
  await receive(await client.openBlob({ blob_id }), part, "replace", download);
  return 0;
}

async function receive(
  opened: OpenBlob,
  part: PartFile,
  mode: "append" | "replace",
  { call }: Download,
): Promise<void> {
  const { start, size_bytes, total_bytes } = opened;
  let received = 0;
  const progress = createProgress(call, (count) => `${start + count} of ${total_bytes} bytes`);
  const describe = () =>
    `The connection broke after ${start + received} of ${total_bytes} bytes; run the same command again to resume.`;
  const count = async function* () {
    for await (const chunk of reportBreak(opened.bytes, describe)) {
      received += chunk.length;
      progress.show(received);
      yield chunk;
    }
  };
  await part.write(count(), mode);
  progress.done();
  if (received !== size_bytes) throw new BrokenOff(describe());
}
