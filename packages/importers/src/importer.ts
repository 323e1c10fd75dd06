/**
 * The interface of a format: a folder with a manifest, a parser, fixtures and tests, and one row in `importers.ts`.
 * An importer knows nothing of databases. It turns files into items, one after another, and holds one item at a time.
 */
import type { ImportedItem, Manifest } from "@rungs/contract";
import type { BlobRef } from "@rungs/evidence";
import type { Detection } from "./detect/detection.ts";
import type { Sample } from "./detect/sample.ts";
import type { Extraction, ExtractionRequest } from "./extract/extraction.ts";
import type { Files } from "./files/files.ts";

/** Reads one format. */
export interface Importer {
  /** Its name for `--as`. */
  readonly id: string;
  /** Its name for people: `ChatGPT export`. */
  readonly label: string;
  readonly manifest: Manifest;
  /**
   * For formats whose columns differ from file to file: the manifest of these files, as the owner gave it or as
   * inferred. The same files give the same manifest.
   */
  inspect?(files: Files, given: Manifest | undefined): Promise<Manifest>;
  readonly recognition: FileRecognition | ExportRecognition;
  /** Yields the items of the files, in a fixed order. An unreadable item is rejected, and reading continues. */
  read(source: ImportSource): AsyncIterable<ImportedItem>;
}

/** A format of single files. */
export interface FileRecognition {
  readonly kind: "file";
  /** Recognizes one file by its content; undefined for other files. */
  recognise(sample: Sample): Promise<Detection | undefined> | Detection | undefined;
}

/** A format of files that belong together. */
export interface ExportRecognition {
  readonly kind: "export";
  /** Finds the exports among files, at any depth; reads only the beginning of most files. */
  find(files: Files): Promise<readonly FoundExport[]>;
}

/** The files of one export. */
export interface FoundExport extends Detection {
  /** The folder that it is in, with a trailing `/`; empty for the root. */
  readonly root: string;
  readonly paths: readonly string[];
}

/** An importer's input, and the services that it may use. */
export interface ImportSource {
  readonly files: Files;
  /** The result of `inspect`; absent for importers without it. */
  readonly manifest?: Manifest | undefined;
  /** The zone of times without one in the files, by its IANA name; UTC by default. */
  readonly time_zone?: string | undefined;
  /** A checkpoint of an earlier run over the same files: items up to it are stored already. */
  readonly resume?: string | undefined;
  /** Stores bytes and returns the reference for a record. The same bytes are stored once. */
  putBlob(bytes: AsyncIterable<Uint8Array>, mime_type: string): Promise<BlobRef>;
  /** Extracts the text of a document, an attachment or a web page, in another process with limits. */
  extractText(request: ExtractionRequest): Promise<Extraction>;
  /** Whether `extractText` reads pictures, by OCR. */
  readonly reads_pictures?: boolean | undefined;
  /** Tells the owner something about the whole import, such as how dates were read. */
  note(sentence: string): void;
}

/** The services that reading one item needs: where its files go, and what extracts their text. */
export type ItemServices = Pick<ImportSource, "putBlob" | "extractText" | "reads_pictures">;
