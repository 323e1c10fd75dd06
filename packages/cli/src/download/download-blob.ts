import { stat } from "node:fs/promises";
import type { Client, OpenBlob } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import type { CommandCall } from "../command/command.ts";
import { BrokenOff } from "../command/exit.ts";
import { createProgress } from "../command/progress.ts";
import { openPartFile, type PartFile } from "./part-file.ts";
import { untilBroken } from "./until-broken.ts";

/** What a download has brought. */
export interface Downloaded {
  readonly blob_id: string;
  readonly file: string;
  readonly size_bytes: number;
  /** How many bytes were there from a former try. */
  readonly resumed_bytes: number;
}

const DIGEST = /^[0-9a-f]{64}$/;

/** Brings a blob into a file: goes on where a former try broke off, and checks the whole against its digest. */
export async function downloadBlob(
  client: Client,
  blob_id: string,
  file: string,
  call: CommandCall,
): Promise<Downloaded> {
  const part = await openPartFile(file);
  let start = await resume(client, blob_id, part, call);
  if (DIGEST.test(blob_id) && (await part.digest()) !== blob_id) {
    // What was left may have been of another file.
    if (start > 0) await receive(await client.openBlob({ blob_id }), part, "replace", call);
    if (start === 0 || (await part.digest()) !== blob_id) {
      await part.discard();
      throw new BrokenOff("The bytes that arrived are not the file's; run the same command again.");
    }
    start = 0;
  }
  await part.finish();
  return { blob_id, file, size_bytes: (await stat(file)).size, resumed_bytes: start };
}

/** Brings one range of a blob into a file; it begins anew each time. */
export async function downloadRange(
  client: Client,
  blob_id: string,
  range: string,
  file: string,
  call: CommandCall,
): Promise<Downloaded> {
  const part = await openPartFile(file);
  const opened = await client.openBlob({ blob_id, range });
  await receive(opened, part, "replace", call);
  await part.finish();
  return { blob_id, file, size_bytes: opened.size_bytes, resumed_bytes: 0 };
}

async function resume(client: Client, blob_id: string, part: PartFile, call: CommandCall): Promise<number> {
  const { left_bytes } = part;
  if (left_bytes > 0) {
    try {
      const opened = await client.openBlob({ blob_id, range: `bytes=${left_bytes}-` });
      await receive(opened, part, opened.start === left_bytes ? "append" : "replace", call);
      return opened.start;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "range_not_satisfiable") throw error;
      if (error.details.size_bytes === left_bytes) return left_bytes;
    }
  }
  await receive(await client.openBlob({ blob_id }), part, "replace", call);
  return 0;
}

async function receive(
  opened: OpenBlob,
  part: PartFile,
  how: "append" | "replace",
  call: CommandCall,
): Promise<void> {
  const { start, size_bytes, total_bytes } = opened;
  let received = 0;
  const progress = createProgress(call, (count) => `${start + count} of ${total_bytes} bytes`);
  const describe = () =>
    `The connection broke after ${start + received} of ${total_bytes} bytes; the same command goes on from there.`;
  const count = async function* () {
    for await (const piece of untilBroken(opened.bytes, describe)) {
      received += piece.length;
      progress.show(received);
      yield piece;
    }
  };
  await part.write(count(), how);
  progress.done();
  if (received !== size_bytes) throw new BrokenOff(describe());
}
