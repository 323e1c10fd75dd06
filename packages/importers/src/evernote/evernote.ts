import { ApiError, type ImportedItem } from "@rungs/contract";
import { readHtml } from "../extract/read-html.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { readAttachment } from "../mail/attachment.ts";
import { joinKey, toRecordItem, withCheckpoint } from "../record-item.ts";
import { evernoteManifest } from "./manifest.ts";
import { type EnexNote, NOTE_MAX_CHARS, splitNotes } from "./split-notes.ts";

/** Evernote notes: ENEX files, one for each notebook. */
export const evernote: Importer = {
  id: "evernote",
  label: "Evernote notes (ENEX)",
  get manifest() {
    return evernoteManifest();
  },
  recognition: {
    kind: "file",
    recognise: ({ text }) =>
      ENEX.test(text) ? { confidence: "signature", reason: "it begins with <en-export" } : undefined,
  },
  read,
};

const ENEX = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!DOCTYPE en-export[^>]{0,300}>\s*)?<en-export[\s>]/;

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const { path: done_path = "", counts: [done = 0] = [] } = parseResume(source.resume) ?? {};
  const keys = new Map<string, number>();
  for await (const entry of source.files.list()) {
    if (entry.path < done_path) continue;
    yield* readFile(source, entry, { done: entry.path === done_path ? done : 0, keys });
  }
}

interface Progress {
  /** How many notes of the file are already stored. */
  readonly done: number;
  /** The number of notes per key: notes have no id, and two may have the same title and time. */
  readonly keys: Map<string, number>;
}

async function* readFile(
  source: ImportSource,
  entry: FileEntry,
  { done, keys }: Progress,
): AsyncGenerator<ImportedItem> {
  let number = 0;
  try {
    for await (const note of splitNotes(entry.open())) {
      number += 1;
      const key = joinKey(nameNotebook(entry.path), note.created, note.title);
      const count = (keys.get(key) ?? 0) + 1;
      keys.set(key, count);
      if (number <= done) continue;
      const id =
        count === 1 ? key : joinKey(nameNotebook(entry.path), note.created, note.title, String(count));
      const place = `${entry.path}, note ${number}`;
      yield* withCheckpoint(readNote(source, note, { id, place }), formatResume(entry.path, number));
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    const reason = `What follows note ${number} cannot be read: ${error.message}`;
    yield { kind: "rejected", place: entry.path, reason };
  }
  if (number === 0) yield { kind: "rejected", place: entry.path, reason: "It has no notes." };
}

async function* readNote(
  source: ImportSource,
  note: EnexNote,
  { id, place }: { readonly id: string; readonly place: string },
): AsyncGenerator<ImportedItem> {
  if (note.is_too_large) {
    yield {
      kind: "rejected",
      place,
      reason: `It is larger than ${NOTE_MAX_CHARS} characters with its files.`,
    };
    return;
  }
  const created_at = readTime(note.created);
  const updated_at = readTime(note.updated) ?? created_at;
  yield toRecordItem("notes", place, {
    id,
    title: note.title,
    text: await readContent(source, note.content),
    tags: [...new Set(note.tags)],
    author: note.author,
    notebook: nameNotebook(place.slice(0, place.lastIndexOf(", note "))),
    source_url: note.source_url,
    created_at,
    updated_at,
    attachment_count: note.resources.length,
  });
  for (const [at, { file_name, mime_type, data }] of note.resources.entries()) {
    const content = new Uint8Array(Buffer.from(data, "base64"));
    const attachment = { filename: file_name || null, mimeType: mime_type, disposition: null, content };
    yield toRecordItem("attachments", `${place}, file ${at + 1}`, {
      id: joinKey(id, String(at + 1)),
      note_record_id: id,
      date: updated_at,
      ...(await readAttachment(source, attachment)),
    });
  }
}

function nameNotebook(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.enex$/i, "");
}

/** `20240301T100000Z`. */
function readTime(text: string): string | undefined {
  const [, year, month, day, hour, minute, second] =
    /^\s*(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\s*$/.exec(text) ?? [];
  if (second === undefined) return undefined;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const CHECKBOX = /<en-todo\b([^>]{0,100})>(?:<\/en-todo>)?/g;

async function readContent({ extractText }: ImportSource, content: string): Promise<string> {
  const page = content.replace(CHECKBOX, (_, attributes: string) =>
    /checked\s*=\s*["']true/.test(attributes) ? "[x] " : "[ ] ",
  );
  return (await readHtml(extractText, page)).text;
}
