/** Imports a table without a store, for the tests. */
import assert from "node:assert/strict";
import type { ImportedItem, Manifest } from "@rungs/contract";
import type { Files } from "../files/files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { tablesImporter } from "./tables.ts";

export async function importTable(files: Files, given?: Manifest, resume?: string) {
  const manifest = await tablesImporter.inspect?.(files, given);
  assert.ok(manifest);
  const notes: string[] = [];
  const never = () => Promise.reject(new Error("not asked for"));
  const note = (each: string) => notes.push(each);
  const source = { files, manifest, resume, putBlob: never, extractText: never, note };
  const items: ImportedItem[] = await Array.fromAsync(tablesImporter.read(source));
  return { manifest, notes, items, rows: listRecords(items).map(([, data]) => data) };
}

export const importText = (text: string | Uint8Array, name = "a.csv") =>
  importTable(createMemoryFiles(name, { [name]: text }));

/** Keys and data of the records. */
export const listRecords = (items: readonly ImportedItem[]) =>
  items.flatMap((item) => (item.kind === "record" ? [[item.key, item.data] as const] : []));

export function shapesOf(manifest: Manifest, at = 0): Record<string, unknown> {
  const schema = manifest.streams[at]?.schema;
  assert.ok(typeof schema === "object");
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, shape]) => {
      assert.ok(typeof shape === "object");
      return [name, shape.format ?? shape.type];
    }),
  );
}
