/**
 * The seam for one more format: a folder with a manifest, a parser, fixtures and tests, and one row in `importers.ts`.
 * An importer knows nothing of databases: it turns files into items, one after another, and holds one item at a time.
 */
import type { ImportedItem, Manifest } from "@rungs/contract";
import type { BlobRef } from "@rungs/evidence";
import type { Extraction, ExtractionRequest } from "./extract/extraction.ts";
import type { Files } from "./files/files.ts";

/** Reads one format. */
export interface Importer {
  /** What `--as` calls it. */
  readonly id: string;
  /** What people call it: `ChatGPT export`. */
  readonly label: string;
  readonly manifest: Manifest;
  /**
   * For formats whose columns are the owner's own: the manifest of these files, as the owner gave it or as it is
   * inferred. The same files give the same manifest.
   */
  inspect?(files: Files, given: Manifest | undefined): Promise<Manifest>;
  /** Whether the files are of this format, judged by their content; reads heads only. */
  matches(files: Files): Promise<boolean>;
  /** The items of the files, in a fixed order. Something unreadable is a rejected item and does not end the reading. */
  read(source: ImportSource): AsyncIterable<ImportedItem>;
}

/** What an importer reads from, and what is done for it. */
export interface ImportSource {
  readonly files: Files;
  /** What `inspect` gave; left out where the importer's own manifest holds. */
  readonly manifest?: Manifest | undefined;
  /** A checkpoint of an earlier run over the same files: items up to it are stored already. */
  readonly resume?: string | undefined;
  /** Stores bytes and gives what a record says to refer to them. The same bytes are stored once. */
  putBlob(bytes: AsyncIterable<Uint8Array>, mime_type: string): Promise<BlobRef>;
  /** Text of a document, an attachment or a web page, made outside this process's memory and time. */
  extractText(request: ExtractionRequest): Promise<Extraction>;
  /** Says something that the owner should know about the whole import, such as how dates were read. */
  note(sentence: string): void;
}
