/**
 * The download of iCloud Notes from privacy.apple.com: a folder for each note with its text and files, in the folders that
 * Notes has, and a table with the times.
 */
import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import { cleanText } from "../clean-text.ts";
import { decodeText } from "../extract/decode-text.ts";
import type { FileEntry } from "../files/files.ts";
import { listEntries } from "../files/probe.ts";
import { formatResume } from "../files/resume.ts";
import type { ImportSource } from "../importer.ts";
import { withCheckpoint } from "../record-item.ts";
import { readCsvRows } from "../tables/csv-rows.ts";

/** The table beside the folders `Notes` and `Recently Deleted`. */
export const DETAILS = /^(?:.*\/)?Notes Details\.csv$/i;
/** What the table begins with. */
export const DETAILS_HEADER = /^\ufeff?"?Title"?\s*,\s*"?Created On"?\s*,\s*"?Modified On"?\s*,/i;

const COLUMNS = ["title", "created", "modified", "pinned", "deleted", "drawing", "hash"];
const TEXT_MAX_BYTES = 64 * 1024 ** 2;

interface Details {
  readonly created_at?: string | undefined;
  readonly edited_at?: string | undefined;
  readonly is_pinned?: boolean | undefined;
}

/** The notes below the folder of a table. */
export async function* readDownloadedNotes(
  source: ImportSource,
  table: FileEntry,
  done: string,
): AsyncGenerator<ImportedItem> {
  const root = table.path.slice(0, table.path.lastIndexOf("/") + 1);
  const details = await readDetails(table);
  const entries = (await listEntries(source.files)).filter(
    ({ path }) => path.startsWith(root) && path !== table.path,
  );
  const byFolder = Map.groupBy(entries, ({ path }) => posix.dirname(path));
  for (const [folder, own] of byFolder) {
    const text = own.find(({ path }) => posix.basename(path, ".txt") === posix.basename(folder));
    if (!text || text.path <= done) continue;
    const files = own.filter((entry) => entry !== text);
    const items = readNote({ source, root, details }, text, files);
    yield* withCheckpoint(items, formatResume(text.path, 1));
  }
}

async function* readNote(
  { source, root, details }: { source: ImportSource; root: string; details: Map<string, Details[]> },
  entry: FileEntry,
  files: readonly FileEntry[],
): AsyncGenerator<ImportedItem> {
  const place = entry.path;
  if (entry.size_bytes > TEXT_MAX_BYTES) {
    yield {
      kind: "rejected",
      place,
      reason: `It has ${entry.size_bytes} bytes; the limit is ${TEXT_MAX_BYTES}.`,
    };
    return;
  }
  const [area = "", ...folders] = posix.dirname(place.slice(root.length)).split("/");
  const title = posix.basename(place, ".txt");
  // Two notes may have one title: the table lists them in the order of their folders.
  const known = details.get(title.normalize())?.shift();
  yield* yieldWithFiles(source, {
    stream: "notes",
    place,
    key: ["icloud", ...place.slice(root.length).split("/")],
    shared: {},
    data: {
      title,
      text: cleanText(decodeText(await buffer(entry.open()))),
      folder: folders.slice(0, -1).join("/"),
      ...known,
      edited_at: known?.edited_at ?? entry.modified_at,
      is_deleted: /^Recently Deleted$/i.test(area) ? true : undefined,
    },
    files: files.map((file) => ({ name: posix.basename(file.path), entry: file })),
  });
}

async function readDetails(table: FileEntry): Promise<Map<string, Details[]>> {
  const details = new Map<string, Details[]>();
  const form = { kind: "csv", charset: "utf-8", delimiter: ",", newline: "\n", skip_lines: 0 } as const;
  for await (const row of readCsvRows(table, { ...form, has_header: true, names: COLUMNS })) {
    if (row.kind === "problem") continue;
    const { title, created, modified, pinned } = row.values as Readonly<Record<string, string | undefined>>;
    const key = (title ?? "").trim().normalize();
    const found = {
      created_at: readTime(created),
      edited_at: readTime(modified),
      is_pinned: pinned === "Yes" ? true : undefined,
    };
    details.set(key, [...(details.get(key) ?? []), found]);
  }
  return details;
}

/** `04-12-2026 09:00:00`: month, day, year; in UTC. */
function readTime(text: string | undefined): string | undefined {
  const [, month, day, year, clock] = /^\s*(\d\d)-(\d\d)-(\d{4}) (\d\d:\d\d:\d\d)\s*$/.exec(text ?? "") ?? [];
  if (clock === undefined) return undefined;
  const time = new Date(`${year}-${month}-${day}T${clock}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
