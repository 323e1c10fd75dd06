/** An import without a store, for the tests of importers. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  createRecordCheck,
  type ImportedItem,
  type ImportedRecord,
  type RejectedItem,
} from "@rungs/contract";
import { sortFiles } from "./detect/sort-files.ts";
import type { Extractor } from "./extract/extractor.ts";
import type { FileEntry, Files } from "./files/files.ts";
import { createMemoryFiles } from "./files/memory-files.ts";
import type { Importer, ImportSource } from "./importer.ts";

/** The outcome of reading some files. */
export interface Reading {
  readonly items: readonly ImportedItem[];
  readonly rejected: readonly RejectedItem[];
  readonly notes: readonly string[];
  /** The records of a stream by their key. */
  stream(name: string): ReadonlyMap<string, ImportedRecord["data"]>;
}

/** The importer with the extraction process that documents are read in. */
export function withExtractor(importer: Importer, { extract }: Pick<Extractor, "extract">): Importer {
  return {
    ...importer,
    manifest: importer.manifest,
    read: (source) => importer.read({ ...source, extractText: extract }),
  };
}

/** Whether an importer recognizes any of the files. */
export async function matches(importer: Importer, files: Files): Promise<boolean> {
  const { groups, close } = await sortFiles(files, [importer]);
  await close();
  return groups.length > 0;
}

/** Reads files to the end. Each record must fit the manifest, and no key may repeat. */
export async function readAll(
  importer: Importer,
  files: Files | Readonly<Record<string, string | Uint8Array>>,
  resume?: string,
): Promise<Reading> {
  const notes: string[] = [];
  const opened = "list" in files && typeof files.list === "function" ? (files as Files) : memory(files);
  const items = await Array.fromAsync(importer.read(createSource(opened, notes, resume)));
  const records = items.filter((item) => item.kind === "record");
  checkRecords(importer, records);
  return {
    items,
    rejected: items.filter((item) => item.kind === "rejected"),
    notes,
    stream: (name) =>
      new Map(records.filter(({ stream }) => stream === name).map(({ key, data }) => [String(key), data])),
  };
}

function memory(files: object): Files {
  return createMemoryFiles("export.zip", files as Readonly<Record<string, string | Uint8Array>>);
}

function createSource(files: Files, notes: string[], resume: string | undefined): ImportSource {
  return {
    files,
    resume,
    async putBlob(bytes, mime_type) {
      const content = Buffer.concat(await Array.fromAsync(bytes));
      const sha256 = createHash("sha256").update(content).digest("hex");
      return { blob_id: `sha256:${sha256}`, sha256, mime_type, size_bytes: content.length };
    },
    extractText: async ({ bytes }) => ({ kind: "text", text: Buffer.from(bytes).toString() }),
    note: (sentence) => notes.push(sentence),
  };
}

function checkRecords({ manifest }: Importer, records: readonly ImportedRecord[]): void {
  const checks = new Map(manifest.streams.map((stream) => [stream.name, createRecordCheck(stream)]));
  const keys = new Set<string>();
  for (const { stream, key, data, place } of records) {
    const emitted_at = "2026-01-01T00:00:00Z";
    checks.get(stream)!({ stream, key, data, emitted_at });
    assert.ok(!keys.has(`${stream} ${key}`), `${place} has the key of another record`);
    keys.add(`${stream} ${key}`);
  }
}

/** A file of any size whose content is generated on the fly. */
export function createStreamedFile(path: string, open: () => AsyncIterable<Uint8Array>): FileEntry {
  const head = async () => {
    for await (const chunk of open()) return chunk;
    return new Uint8Array();
  };
  return { path, size_bytes: 0, open, head };
}
