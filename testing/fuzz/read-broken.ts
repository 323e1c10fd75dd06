/** An import of broken files, without a store: for tests and for `npm run bench fuzz`. */
import assert from "node:assert/strict";
import { createRecordCheck, type Manifest } from "@rungs/contract";
import type { Files, Importer, ImportSource } from "@rungs/importers";
import { settle, takeOrRefuse } from "./cases.ts";

type ExtractText = ImportSource["extractText"];

/** The results of reading broken files. */
export interface BrokenReading {
  records: number;
  rejected: number;
  /** Whether they were refused as a whole, with a coded error. */
  is_refused: boolean;
}

/** Reads to the end: records fit their declaration, or are refused with a code, as by the store. */
export async function readBroken(
  importer: Importer,
  files: Files,
  extractText: ExtractText,
): Promise<BrokenReading> {
  const found: BrokenReading = { records: 0, rejected: 0, is_refused: true };
  const manifest = (await settle(async () => importer.inspect?.(files, undefined))) ?? importer.manifest;
  const checks = createChecks(manifest);
  await settle(async () => {
    for await (const item of importer.read(createBrokenSource(files, manifest, extractText))) {
      if (item.kind === "rejected") {
        assert.ok(item.reason.length < 1_000, item.reason.slice(0, 200));
        found.rejected += 1;
      } else if (item.kind === "record") {
        takeOrRefuse(() => checks(item));
        found.records += 1;
      }
    }
    found.is_refused = false;
  });
  return found;
}

function createChecks(manifest: Manifest) {
  const checks = new Map(manifest.streams.map((stream) => [stream.name, createRecordCheck(stream)]));
  return ({
    stream,
    key,
    data,
  }: {
    stream: string;
    key: string | string[];
    data: Record<string, unknown>;
  }) => {
    const check = checks.get(stream);
    assert.ok(check, `${stream} is not declared`);
    return check({ stream, key, data, emitted_at: "2026-01-01T00:00:00Z" });
  };
}

/** The services for an import of broken files. */
export function createBrokenSource(files: Files, manifest: Manifest, extractText: ExtractText): ImportSource {
  return {
    files,
    manifest,
    async putBlob(bytes, mime_type) {
      let size_bytes = 0;
      for await (const piece of bytes) size_bytes += piece.length;
      return { blob_id: "sha256:0", sha256: "0", mime_type, size_bytes };
    },
    extractText,
    note: (sentence) => assert.ok(sentence.length < 2_000),
  };
}
