import type { ImportedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { storeAttachment } from "./attachments.ts";

/** A file that a message or a note mentions. */
export interface MentionedFile {
  readonly name: string;
  /** Undefined when the export does not have it. */
  readonly entry?: FileEntry | undefined;
  readonly mime_type?: string | undefined;
  readonly size_bytes?: number | undefined;
  /** Fields that only this service has. */
  readonly own?: Readonly<Record<string, unknown>> | undefined;
}

/** A record with files: a message, a note, a post. */
export interface RecordWithFiles {
  readonly stream: string;
  readonly place: string;
  /** Its key in parts, as the export has them. */
  readonly key: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly files: readonly MentionedFile[];
  /** Fields of the record that its files repeat. */
  readonly shared: Readonly<Record<string, unknown>>;
}

/** Yields a record and then its files, each as a record of `attachments`. */
export async function* yieldWithFiles(
  source: ImportSource,
  { stream, place, key, data, files, shared }: RecordWithFiles,
): AsyncGenerator<ImportedItem> {
  const id = joinKey(...key);
  const ids = files.map((_, at) => joinKey(...key, `file ${at + 1}`));
  yield toRecordItem(stream, place, { id, ...shared, ...data, attachment_ids: ids });
  for (const [at, { name, entry, mime_type, size_bytes, own }] of files.entries()) {
    const content = entry ? await storeAttachment(source, entry, { name, mime_type }) : {};
    const facts = { name, mime_type, size_bytes, ...own, ...content };
    yield toRecordItem("attachments", `${place}, file ${at + 1}`, {
      id: ids[at]!,
      message_id: id,
      ...shared,
      ...facts,
    });
  }
}
