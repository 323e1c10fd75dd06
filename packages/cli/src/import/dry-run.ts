import { createHash } from "node:crypto";
import { REJECTIONS_MAX } from "@rungs/contract";
import type { ImportSource } from "@rungs/importers";
import type { ImportPlan } from "./plan.ts";
import { type ImportWatch, withReader } from "./run-plan.ts";

/** What an import would bring. */
export interface DryRun {
  readonly streams: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly rejections: readonly DryRejection[];
}

interface DryRejection {
  readonly place: string;
  readonly message: string;
}

/** Reads a plan's files to their end and stores nothing. */
export async function tryPlan(
  plan: ImportPlan,
  watch: Pick<ImportWatch, "note" | "onItem"> & { onRejected(rejection: DryRejection): void },
): Promise<DryRun> {
  const streams: Record<string, number> = {};
  const rejections: DryRejection[] = [];
  let rejected = 0;
  await withReader(plan, { ...watch, putBlob: describeBytes }, async (read) => {
    for await (const item of read(undefined)) {
      if (item.kind === "record") {
        streams[item.stream] = (streams[item.stream] ?? 0) + 1;
        continue;
      }
      const rejection = { place: item.place, message: item.reason };
      rejected += 1;
      watch.onRejected(rejection);
      if (rejections.length < REJECTIONS_MAX) rejections.push(rejection);
    }
  });
  return { streams, rejected, rejections };
}

const describeBytes: ImportSource["putBlob"] = async (bytes, mime_type) => {
  const hash = createHash("sha256");
  let size_bytes = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    size_bytes += piece.length;
  }
  const sha256 = hash.digest("hex");
  return { blob_id: sha256, sha256, mime_type, size_bytes };
};
