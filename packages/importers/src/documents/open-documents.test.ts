/** Reads documents with a real extractor, for the tests. */
import { createExtractor } from "../extract/extractor.ts";
import type { Importer } from "../importer.ts";
import { type Reading, readAll } from "../read-all.test.ts";
import { documents } from "./documents.ts";

export type Contents = Readonly<Record<string, string | Uint8Array>>;

/** Opens a reader of documents; close it after the tests. */
export function openDocuments() {
  const extractor = createExtractor();
  const importer: Importer = {
    ...documents,
    read: (source) => documents.read({ ...source, extractText: extractor.extract }),
  };
  const read = (files: Contents, resume?: string): Promise<Reading> => readAll(importer, files, resume);
  const readOne = async (path: string, content: string | Uint8Array) =>
    (await read({ [path]: content })).stream("documents").get(path.replaceAll("/", "~"))!;
  return { importer, read, readOne, close: () => extractor.close() };
}

export const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
