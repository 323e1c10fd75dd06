import type { ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import { parseResume } from "../files/resume.ts";
import { readSqlite } from "../files/sqlite-copy.ts";
import { findDatabases } from "../files/sqlite-find.ts";
import type { FoundExport, Importer, ImportSource } from "../importer.ts";
import { DETAILS, DETAILS_HEADER, readDownloadedNotes } from "./downloaded-notes.ts";
import { appleNotesManifest } from "./manifest.ts";
import { isNoteStore, NOTE_STORE } from "./note-store.ts";
import { readAppleNotes } from "./read-notes.ts";

/** Reads the database of Apple's Notes (`NoteStore.sqlite`), and the download of iCloud Notes from privacy.apple.com. */
export const appleNotes: Importer = {
  id: "apple-notes",
  label: "Apple Notes (NoteStore.sqlite, iCloud Notes)",
  get manifest() {
    return appleNotesManifest();
  },
  recognition: { kind: "export", find },
  read,
};

async function find(files: Files): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  const found: FoundExport[] = [];
  for (const { path } of await findDatabases(files, NOTE_STORE)) {
    const root = folderOf(path);
    const isBeside = (other: string) =>
      /^-(?:wal|shm)$/.test(other.slice(path.length)) ||
      /^(?:Accounts|Media)\//.test(other.slice(root.length));
    const beside = entries
      .map((entry) => entry.path)
      .filter((other) => other.startsWith(root) && isBeside(other));
    const reason = "it is a database with the tables of Notes";
    found.push({ root, confidence: "signature", reason, paths: [path, ...beside] });
  }
  for (const { path } of await findTables(entries)) {
    const root = folderOf(path);
    const isOwn = (other: string) =>
      /^(?:Notes|Recently Deleted)\/|^(?:Shared|Subscribed) Notes Info\.csv$/i.test(other.slice(root.length));
    const own = entries.map((entry) => entry.path).filter((other) => other.startsWith(root) && isOwn(other));
    const reason = "its table of notes has the columns of iCloud Notes";
    found.push({ root, confidence: "signature", reason, paths: [path, ...own] });
  }
  return found;
}

async function findTables(entries: readonly FileEntry[]): Promise<FileEntry[]> {
  const tables: FileEntry[] = [];
  for (const entry of entries) {
    if (DETAILS.test(entry.path) && DETAILS_HEADER.test(await readHead(entry, 256))) tables.push(entry);
  }
  return tables;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const databases = await findDatabases(source.files, NOTE_STORE);
  const tables = await findTables(await listEntries(source.files));
  if (databases.length + tables.length === 0) throw refuseFiles(source.files, appleNotes.label);
  const { path = "", counts: [row = 0] = [] } = parseResume(source.resume) ?? {};
  const first = Math.max(
    0,
    databases.findIndex((file) => file.path === path),
  );
  const isPast = tables.length > 0 && path !== "" && !databases.some((file) => file.path === path);
  for (const file of isPast ? [] : databases.slice(first)) {
    const after = file.path === path ? row : 0;
    yield* readSqlite(source.files, file, (database) =>
      isNoteStore(database)
        ? readAppleNotes(database, { source, file, after })
        : [{ kind: "rejected", place: file.path, reason: "The database has no tables of Notes." }],
    );
  }
  for (const table of tables) yield* readDownloadedNotes(source, table, isPast ? path : "");
}
