import type { FileEntry, Files } from "../files/files.ts";
import { readHead, refuseFiles } from "../files/probe.ts";

/** How a format's JSON files are told from others. */
export interface JsonFormat {
  /** What people call the export. */
  readonly label: string;
  /** What the service calls the files, below the export's own folder. */
  readonly names: RegExp;
  /** Whether a file is one of them, by its head. */
  isOwn(head: string): boolean;
}

const PROBED_FILES = 32;

/** Whether a JSON file of the format is there; looks into a few files only. */
export async function hasJsonFiles(files: Files, format: JsonFormat): Promise<boolean> {
  const { candidates } = await findCandidates(files, format);
  for (const entry of candidates.slice(0, PROBED_FILES)) {
    if (format.isOwn(await readHead(entry))) return true;
  }
  return false;
}

/** The JSON files of the format in the order of their paths: by their names, or by their heads if none has such a name. */
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
  // A file that was named alone may be called anything.
  const candidates = entries.length === 1 ? entries : entries.filter(({ path }) => SHALLOW_JSON.test(path));
  return { named: false, candidates };
}

/** An export lies at the root or in one folder, as it was packed or unpacked; deeper it is part of something else. */
function belowFolder(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

const SHALLOW_JSON = /^(?:[^/]+\/)?[^/]+\.json$/i;
