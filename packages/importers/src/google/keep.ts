import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { type MentionedFile, yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import { htmlToText } from "../extract/html-text.ts";
import type { FileEntry } from "../files/files.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { asEpoch, asFlag, asId, asObject, asObjects, asText, type ExportedObject } from "../json/values.ts";
import { distinguish, findSibling, type GoogleContext } from "./context.ts";

/** A Keep note: a JSON file, beside the same note as HTML and its pictures. */
export const keepNotes: FileKind<GoogleContext> = {
  noun: "note",
  path: /\.json$/i,
  isOwn: (head) =>
    /^\s*\{/.test(head) &&
    /"(?:userEdited|created)TimestampUsec"\s*:/.test(head) &&
    /"is(?:Trashed|Pinned|Archived)"\s*:/.test(head),
  read: readNote,
};

async function* readNote(
  { value, place, file }: JsonElement,
  context: GoogleContext,
): AsyncGenerator<ImportedItem> {
  const note = asObject(value);
  const created = asId(note.createdTimestampUsec) ?? asId(note.userEditedTimestampUsec);
  const stem = posix.basename(file.path, posix.extname(file.path));
  const title = asText(note.title);
  const files = await Promise.all(
    asObjects(note.attachments).map((attachment) => findAttachment(context, file, attachment)),
  );
  yield* yieldWithFiles(context.source, {
    stream: "notes",
    place,
    key: distinguish(context, ["keep", created ?? stem], file),
    shared: {},
    data: {
      title: title ?? (isTimeName(stem) ? undefined : stem),
      text: renderNote(note),
      labels: asObjects(note.labels).flatMap(({ name }) => asText(name) ?? []),
      created_at: asEpoch(note.createdTimestampUsec, 1000),
      edited_at: asEpoch(note.userEditedTimestampUsec, 1000) ?? asEpoch(note.createdTimestampUsec, 1000),
      links: asObjects(note.annotations).flatMap(({ url }) => asText(url) ?? []),
      shared_with: asObjects(note.sharees).flatMap(({ email, isOwner }) =>
        isOwner === true ? [] : (asText(email) ?? []),
      ),
      color: asText(note.color),
      is_pinned: asFlag(note.isPinned),
      is_archived: asFlag(note.isArchived),
      is_trashed: asFlag(note.isTrashed),
    },
    files,
  });
}

/** Notes without a title are named by their time: `2024-01-01T10_00_00.000+01_00`. */
function isTimeName(stem: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}_\d{2}/.test(stem);
}

function renderNote(note: ExportedObject): string {
  const items = asObjects(note.listContent).map(
    ({ text, isChecked }) => `[${isChecked === true ? "x" : " "}] ${asText(text) ?? ""}`,
  );
  const html = asText(note.textContentHtml);
  const text = asText(note.textContent) ?? (html === undefined ? undefined : htmlToText(html).text);
  return [...(text === undefined ? [] : [text]), ...items].join("\n");
}

/** The picture's name in the JSON often ends in `.jpeg` where the file ends in `.jpg`. */
async function findAttachment(
  context: GoogleContext,
  file: FileEntry,
  { filePath, mimetype }: ExportedObject,
): Promise<MentionedFile> {
  const name = asText(filePath) ?? "file";
  const names = [name, name.replace(/\.jpeg$/i, ".jpg"), name.replace(/\.jpg$/i, ".jpeg")];
  let entry: FileEntry | undefined;
  for (const each of names) entry ??= await findSibling(context, file, posix.basename(each));
  return { name: posix.basename(name), entry, mime_type: asText(mimetype) };
}
