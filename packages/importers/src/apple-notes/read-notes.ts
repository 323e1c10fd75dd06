import type { DatabaseSync } from "node:sqlite";
import type { ImportedItem } from "@rungs/contract";
import { type MentionedFile, yieldWithFiles } from "../chat/message-items.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import { type SqliteRow, toText } from "../files/sqlite-scan.ts";
import type { ImportSource } from "../importer.ts";
import { withCheckpoint } from "../record-item.ts";
import { readNoteBody } from "./note-body.ts";
import { describeFolder, listNotes, type NoteObjects, readNoteObjects } from "./note-store.ts";

/** The notes of a database after a row. */
export async function* readAppleNotes(
  database: DatabaseSync,
  {
    source,
    file,
    after,
  }: { readonly source: ImportSource; readonly file: FileEntry; readonly after: number },
): AsyncGenerator<ImportedItem> {
  const objects = readNoteObjects(database);
  const media = await indexMedia(source);
  for (const row of listNotes(database, after)) {
    const number = Number(row.row_id);
    const place = `${file.path}, note ${number}`;
    // Permanently deleted, and kept only until other devices have synced.
    if (row.ZMARKEDFORDELETION === 1n) continue;
    const reason = refuseNote(row);
    const items = reason === undefined ? readNote({ source, objects, media, place }, row) : undefined;
    const checkpoint = formatResume(file.path, number);
    if (items) yield* withCheckpoint(items, checkpoint);
    else yield { kind: "rejected", place, checkpoint, reason: reason ?? "" };
  }
}

function refuseNote(row: SqliteRow): string | undefined {
  if (row.ZISPASSWORDPROTECTED === 1n)
    return "The note is locked with a password; unlock it in Notes and copy the database again.";
  return toText(row.ZIDENTIFIER) === undefined ? "Not a note: it has no identifier." : undefined;
}

interface NoteContext {
  readonly source: ImportSource;
  readonly objects: NoteObjects;
  /** Paths of files by the identifier of their media object, which is the name of their folder. */
  readonly media: ReadonlyMap<string, string>;
  readonly place: string;
}

async function* readNote(
  { source, objects, media, place }: NoteContext,
  row: SqliteRow & { readonly row_id: bigint },
): AsyncGenerator<ImportedItem> {
  const data = objects.findData(row.ZNOTEDATA as bigint)?.ZDATA;
  const tags: string[] = [];
  const links: string[] = [];
  const describe = (identifier: string): string => {
    const attachment = findAttachment(objects, identifier);
    const alternative = toText(attachment?.ZALTTEXT);
    if (alternative?.startsWith("#")) tags.push(alternative.slice(1));
    const url = toText(attachment?.ZURLSTRING);
    if (url !== undefined) links.push(url);
    const isTable = attachment?.ZTYPEUTI === TABLE;
    return alternative ?? url ?? (isTable ? `\n${toText(attachment.ZSUMMARY) ?? ""}\n` : "");
  };
  const body = data instanceof Uint8Array ? readNoteBody(data, describe) : undefined;
  if (!body) {
    yield { kind: "rejected", place, reason: "The content of the note is damaged, or not on this device." };
    return;
  }
  const files = (objects.attached.get(row.row_id) ?? []).map(objects.findObject).filter(isFile);
  yield* yieldWithFiles(source, {
    stream: "notes",
    place,
    key: [toText(row.ZIDENTIFIER)!],
    shared: {},
    data: {
      title: toText(row.ZTITLE1) ?? body.text.split("\n", 1)[0],
      text: body.text,
      ...describeFolder(objects, row.ZFOLDER),
      tags: [...new Set(tags)],
      links: [...new Set([...body.links, ...links])],
      created_at: toTime(row.ZCREATIONDATE3) ?? toTime(row.ZCREATIONDATE2) ?? toTime(row.ZCREATIONDATE1),
      edited_at: toTime(row.ZMODIFICATIONDATE1) ?? toTime(row.ZCREATIONDATE1),
      is_pinned: row.ZISPINNED === 1n ? true : undefined,
    },
    files: await Promise.all(files.map((each) => findFile({ source, objects, media }, each))),
  });
}

const TABLE = "com.apple.notes.table";

function findAttachment({ attachments, findObject }: NoteObjects, identifier: string): SqliteRow | undefined {
  const row_id = attachments.get(identifier);
  return row_id === undefined ? undefined : findObject(row_id);
}

/** Tables, links and tags are in the text; what has a file, or text that Notes read from one, is an attachment. */
function isFile(row: SqliteRow | undefined): row is SqliteRow {
  if (!row || row.ZTYPEUTI === TABLE || toText(row.ZALTTEXT) !== undefined) return false;
  return (row.ZMEDIA ?? null) !== null || readRecognised(row) !== undefined;
}

/** What Notes read from a picture, a scan or a drawing. */
function readRecognised(row: SqliteRow): string | undefined {
  const texts = [row.ZADDITIONALINDEXABLETEXT, row.ZOCRSUMMARY, row.ZHANDWRITINGSUMMARY];
  return [...new Set(texts.flatMap((text) => toText(text) ?? []))].join("\n") || undefined;
}

async function findFile(
  { source, objects, media }: Pick<NoteContext, "source" | "objects" | "media">,
  row: SqliteRow,
): Promise<MentionedFile> {
  const object = row.ZMEDIA == null ? undefined : objects.findObject(BigInt(row.ZMEDIA as number));
  const name = toText(object?.ZFILENAME) ?? toText(row.ZUSERTITLE) ?? toText(row.ZTITLE) ?? "file";
  const path = media.get(toText(object?.ZIDENTIFIER) ?? "");
  const entry = path === undefined ? undefined : await source.files.find(path);
  return { name, entry, own: { text: readRecognised(row) } };
}

/** `Media/IDENTIFIER/photo.jpg`, in newer versions with a folder for each generation of the file. */
const MEDIA = /(?:^|\/)Media\/([^/]+)\/(?:[^/]+\/)?[^/]+$/;

async function indexMedia({ files }: ImportSource): Promise<Map<string, string>> {
  const media = new Map<string, string>();
  for await (const { path } of files.list()) {
    const [, identifier] = MEDIA.exec(path) ?? [];
    if (identifier !== undefined) media.set(identifier, path);
  }
  return media;
}

/** Seconds since 2001. */
function toTime(value: unknown): string | undefined {
  const seconds = typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
  const timeMs = Date.UTC(2001, 0) + seconds * 1000;
  return seconds > 0 && timeMs < Date.UTC(10_000, 0) ? new Date(timeMs).toISOString() : undefined;
}
