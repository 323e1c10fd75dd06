/**
 * Sorts the files of a folder or an archive by format, so that each goes to the importer that knows it. Exports of several
 * files are found first; archives inside are sorted as if they had been imported alone; every other file goes to the
 * format that recognizes it with the most confidence. Nothing is ignored without a reason.
 */
import type { FileEntry, Files, RefusedFile } from "../files/files.ts";
import { joinArchiveParts } from "../files/join-parts.ts";
import { type ArchiveOpener, createArchiveOpener } from "../files/open-archive.ts";
import { listEntries } from "../files/probe.ts";
import { selectFiles } from "../files/select-files.ts";
import type { Importer } from "../importer.ts";
import { TABLE_NAME } from "../tables/table-form.ts";
import type { Detection } from "./detection.ts";
import { findExports, type Part } from "./parts.ts";
import { sortSingles } from "./sort-singles.ts";

/** Files for one importer. */
export interface FileGroup {
  readonly importer: Importer;
  readonly files: Files;
  /** Where the files are, below what was opened: a folder or an archive; empty for all of it. */
  readonly place: string;
  readonly detection: Detection;
  /** How many files it was recognized in. */
  readonly file_count: number;
  /** Files that were assigned to this format by a guess. */
  readonly guesses: readonly RefusedFile[];
}

/** All files of an import, each in a group or left out. */
export interface SortedFiles {
  readonly groups: readonly FileGroup[];
  readonly left_out: readonly RefusedFile[];
  /** Closes the archives inside; not the files that were sorted. */
  close(): Promise<void>;
}

/** Sorts files by format. */
export async function sortFiles(files: Files, importers: readonly Importer[]): Promise<SortedFiles> {
  const sorting: Sorting = {
    importers,
    archives: createArchiveOpener(),
    groups: [],
    left_out: [],
    opened: [],
  };
  const close = async () => {
    for (const each of sorting.opened) await each.close();
  };
  try {
    await sortUnit({ files, place: "", depth: 0 }, sorting);
  } catch (error) {
    await close();
    throw error;
  }
  return { groups: sorting.groups, left_out: sorting.left_out, close };
}

interface Sorting {
  readonly importers: readonly Importer[];
  readonly archives: ArchiveOpener;
  readonly groups: FileGroup[];
  readonly left_out: RefusedFile[];
  readonly opened: Files[];
}

/** A folder or an archive, whose files share their connections. */
interface Unit {
  readonly files: Files;
  /** Its path within what was opened, with a trailing `/` unless it is all of it. */
  readonly place: string;
  /** The depth of nested archives. */
  readonly depth: number;
}

async function sortUnit({ files, place, depth }: Unit, sorting: Sorting): Promise<void> {
  const { importers, opened, left_out } = sorting;
  const entries = await listEntries(files);
  const exports = await findExports(files, importers);
  const taken = new Set(exports.flatMap(({ entries: own }) => own.map(({ path }) => path)));
  const rest = entries.filter(({ path }) => !taken.has(path));
  const context = { importers, opener: sorting.archives, depth, is_alone: entries.length === 1 };
  const { parts: singles, archives, unknown } = await sortSingles(rest, context);
  opened.push(...archives.map((archive) => archive.files));
  const parts = [...exports, ...singles];
  const left = [...leaveText(parts), ...joinLinkable(parts, unknown)];
  const filled = parts.filter(({ entries: own }) => own.length > 0);
  const isWhole = filled.length === 1 && archives.length === 0 && left.length === 0;
  for (const [at, part] of filled.entries()) {
    sorting.groups.push(createGroup({ files, place }, part, { is_whole: isWhole, is_first: at === 0 }));
  }
  const refused = filled.length === 0 ? files.refused : [];
  for (const { path, reason } of [...refused, ...left]) left_out.push({ path: `${place}${path}`, reason });
  for (const { path, files: inner } of await joinArchiveParts(archives)) {
    await sortUnit({ files: inner, place: `${place}${path}/`, depth: depth + 1 }, sorting);
  }
}

function createGroup(
  { files, place }: Pick<Unit, "files" | "place">,
  { importer, root, entries, detection, file_count, guesses }: Part,
  { is_whole, is_first }: { readonly is_whole: boolean; readonly is_first: boolean },
): FileGroup {
  const facts = { importer, detection, file_count, guesses };
  // An export is at the root or in one folder, as zip tools leave it.
  if (is_whole && root.split("/").length <= 2) return { ...facts, files, place };
  const name = root.split("/").at(-2) ?? files.name;
  // Report what the folder or archive refused only once.
  const refused = is_first ? files.refused : [];
  return { ...facts, files: selectFiles(files, { name, root, entries, refused }), place: `${place}${root}` };
}

/**
 * Leaves out text that only a guess makes a document if it is beside files of another format: programs keep such files.
 */
function leaveText(parts: readonly Part[]): RefusedFile[] {
  const documents = parts.find(({ importer }) => importer.id === "documents");
  if (!documents) return [];
  const folders = new Set(
    parts.flatMap((part) => (part === documents ? [] : part.entries.map(({ path }) => folderOf(path)))),
  );
  const left = documents.guesses.filter(({ path }) => folders.has(folderOf(path)));
  const paths = new Set(left.map(({ path }) => path));
  documents.entries = documents.entries.filter(({ path }) => !paths.has(path));
  documents.guesses = documents.guesses.filter(({ path }) => !paths.has(path));
  documents.file_count -= left.length;
  return left.map(({ path }) => ({ path, reason: TABLE_NAME.test(path) ? NO_TABLE : NO_FORMAT }));
}

const NO_FORMAT =
  "It is text of no known format beside files of another one; import it alone with --as documents.";
const NO_TABLE = "It is named as a table, but no two of its rows agree; import it alone with --as documents.";

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

const NOTE_NAME = /\.(?:md|markdown)$/i;

/** Adds pictures and the like to notes, which may link to them; the importer reports those it left out. */
function joinLinkable(
  parts: readonly Part[],
  unknown: readonly { readonly entry: FileEntry; readonly reason: string; readonly is_linkable: boolean }[],
): RefusedFile[] {
  const documents = parts.find(({ importer }) => importer.id === "documents");
  const hasNotes = documents?.entries.some(({ path }) => NOTE_NAME.test(path)) ?? false;
  const isLinkable = (each: { readonly is_linkable: boolean }) => each.is_linkable && hasNotes;
  documents?.entries.push(...unknown.filter(isLinkable).map(({ entry }) => entry));
  return unknown
    .filter((each) => !isLinkable(each))
    .map(({ entry, reason }) => ({ path: entry.path, reason }));
}
