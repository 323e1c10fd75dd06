/** An import of broken files, for the fuzz tests of importers. */
import assert from "node:assert/strict";
import { createRecordCheck, type Manifest } from "@rungs/contract";
import { settle, takeOrRefuse } from "../../../../testing/fuzz/cases.ts";
import { htmlToText } from "../extract/html-text.ts";
import type { Files } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";

/** Reads to the end: records fit their declaration, or are refused with a code, as the store refuses them. */
export async function readBroken(importer: Importer, files: Files): Promise<void> {
  const manifest = (await settle(async () => importer.inspect?.(files, undefined))) ?? importer.manifest;
  const checks = createChecks(manifest);
  await settle(async () => {
    for await (const item of importer.read(createBrokenSource(files, manifest))) {
      if (item.kind === "rejected") assert.ok(item.reason.length < 1_000, item.reason.slice(0, 200));
      else if (item.kind === "record") takeOrRefuse(() => checks(item));
    }
  });
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

/** The services for an import of broken files, without a store. */
export function createBrokenSource(files: Files, manifest: Manifest): ImportSource {
  return {
    files,
    manifest,
    async putBlob(bytes, mime_type) {
      let size_bytes = 0;
      for await (const piece of bytes) size_bytes += piece.length;
      return { blob_id: "sha256:0", sha256: "0", mime_type, size_bytes };
    },
    extractText: async ({ bytes }) => ({
      kind: "text",
      text: htmlToText(Buffer.from(bytes).toString()).text,
    }),
    note: (sentence) => assert.ok(sentence.length < 2_000),
  };
}
