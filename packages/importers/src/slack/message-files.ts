import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import { asInteger, asObjects, asText, type ExportedObject, isObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";

/** Files of an export by Slack's id of the file. */
export type FilesById = ReadonlyMap<string, string>;

/**
 * Slack's own exports have only links. slackdump and others add the files: in the folder of the channel or its
 * `attachments`, as `F123-name`, or in `__uploads/F123/`.
 */
const STORED = /(?:^|\/)(?:attachments\/|__uploads\/|[A-Z0-9]{9,}\/)(F[A-Z0-9]{6,})[-/][^/]+$/;

/** Whether a path is that of such a file. */
export function isStoredFile(path: string): boolean {
  return STORED.test(path);
}

/** Finds the files among all entries. */
export function listStoredFiles(entries: readonly FileEntry[]): FilesById {
  return new Map(
    entries.flatMap(({ path }) => {
      const id = STORED.exec(path)?.[1];
      return id === undefined ? [] : [[id, path] as const];
    }),
  );
}

/** The files that a message mentions. */
export function listMessageFiles(message: ExportedObject): ExportedObject[] {
  return [...asObjects(message.files), ...asObjects([message.file])];
}

/** The address of a file, without the query, which holds an access token for the files of the workspace. */
export function findAddress(file: ExportedObject): string | undefined {
  return asText(file.url_private)?.replace(/\?.*$/s, "");
}

/** The records of a message's files, after the record of the message. */
export async function* readMessageFiles(
  value: unknown,
  message: ImportedItem,
  { source, stored }: { readonly source: ImportSource; readonly stored: FilesById },
): AsyncGenerator<ImportedItem> {
  yield message;
  if (message.kind !== "record" || !isObject(value)) return;
  const { id, channel_id, channel, user, sent_at } = message.data;
  for (const [at, file] of listMessageFiles(value).entries()) {
    const file_id = asText(file.id) ?? String(at + 1);
    const path = stored.get(file_id);
    const entry = path === undefined ? undefined : await source.files.find(path);
    const mime_type = asText(file.mimetype);
    const name =
      asText(file.name) ?? asText(file.title) ?? (path === undefined ? file_id : posix.basename(path));
    const content = entry ? await storeAttachment(source, entry, { name, mime_type }) : {};
    yield toRecordItem("attachments", `${message.place}, file ${at + 1}`, {
      id: joinKey(String(id), file_id),
      message_id: id,
      channel_id,
      channel,
      user,
      sent_at,
      name,
      title: asText(file.title),
      mime_type,
      size_bytes: asInteger(file.size),
      url: findAddress(file),
      text: asText(file.plain_text) ?? asText(file.preview),
      ...content,
    });
  }
}
