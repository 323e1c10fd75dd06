import type { FileEntry, Files } from "../files/files.ts";
import { readHead, refuseFiles } from "../files/probe.ts";

/** How to recognise the JSON files of a format. */
export interface JsonFormat {
  /** The name of the export for people. */
  readonly label: string;
  /** The file names that the service writes, below the folder of the export. */
  readonly names: RegExp;
  /** Whether a file is one of them, by its first bytes. */
  isOwn(head: string): boolean;
}

const PROBED_FILES = 32;

/** Whether there is a JSON file of the format; looks into a few files only. */
export async function hasJsonFiles(files: Files, format: JsonFormat): Promise<boolean> {
  const { candidates } = await findCandidates(files, format);
  for (const entry of candidates.slice(0, PROBED_FILES)) {
    if (format.isOwn(await readHead(entry))) return true;
  }
  return false;
}

/** The JSON files of the format, sorted by path: by their names, or by their content if none has such a name. */
export async function requireJsonFiles(files: Files, format: JsonFormat): Promise<FileEntry[]> {
  const { candidates, named } = await findCandidates(files, format);
  const own: FileEntry[] = [];
  for (const entry of candidates) {
    if (named || format.isOwn(await readHead(entry))) own.push(entry);
  }
  if (own.length === 0) throw refuseFiles(files, format.label);
  return own;
}

async function findCandidates(files: Files, { names }: JsonFormat) {
  const entries: FileEntry[] = [];
  for await (const entry of files.list()) entries.push(entry);
  const named = entries.filter(({ path }) => names.test(path) || names.test(belowFolder(path)));
  if (named.length > 0) return { named: true, candidates: named };
  // A single file may have any name.
  const candidates = entries.length === 1 ? entries : entries.filter(({ path }) => SHALLOW_JSON.test(path));
  return { named: false, candidates };
}

/** An export is at the root or in one folder, as zip tools leave it; deeper it is part of something else. */
function belowFolder(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

const SHALLOW_JSON = /^(?:[^/]+\/)?[^/]+\.json$/i;
