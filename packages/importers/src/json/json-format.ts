import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import type { ExportRecognition, FoundExport } from "../importer.ts";

/** How to recognize the JSON files of a format. */
export interface JsonFormat {
  /** The name of the export for people. */
  readonly label: string;
  /** The file names that the service writes, below the folder of the export. */
  readonly names: RegExp;
  /** Other files of the export, below its folder: pictures, lists that are not read. */
  readonly companions: RegExp;
  /** Whether a file is one of them, by its first bytes. */
  isOwn(head: string): boolean;
}

/** Finds the exports of a format, at any depth: one for each folder with JSON files of it. */
export function recogniseJson(format: JsonFormat): ExportRecognition {
  return { kind: "export", find: (files) => findJsonExports(files, format) };
}

async function findJsonExports(files: Files, format: JsonFormat): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  const own = await listOwn(entries, format);
  const byRoot = Map.groupBy(own, ({ path }) => findRoot(path, format));
  return [...byRoot].map(([root, inside]) => {
    const paths = new Set(inside.map(({ path }) => path));
    for (const { path } of entries) {
      if (path.startsWith(root) && format.companions.test(path.slice(root.length))) paths.add(path);
    }
    return {
      root,
      confidence: "signature",
      reason: `its JSON has the members of a ${format.label}`,
      paths: [...paths],
    };
  });
}

/** The JSON files of the format, sorted by path. */
export async function requireJsonFiles(files: Files, format: JsonFormat): Promise<FileEntry[]> {
  const own = await listOwn(await listEntries(files), format);
  if (own.length === 0) throw refuseFiles(files, format.label);
  return own;
}

/** Files too short to show a member of the format belong to it by name, if they are beside files that do. */
const SHORT_CHARS = 64;

async function listOwn(entries: readonly FileEntry[], format: JsonFormat): Promise<FileEntry[]> {
  const own = new Set<FileEntry>();
  const short: FileEntry[] = [];
  for (const entry of entries) {
    // A single file may have any name.
    if (entries.length > 1 && !/\.json$/i.test(entry.path)) continue;
    const head = await readHead(entry);
    if (format.isOwn(head)) own.add(entry);
    else if (head.trim().length < SHORT_CHARS && isNamed(entry.path, format)) short.push(entry);
  }
  const roots = new Set([...own].map(({ path }) => findRoot(path, format)));
  const beside = new Set(short.filter(({ path }) => roots.has(findRoot(path, format))));
  return entries.filter((entry) => own.has(entry) || beside.has(entry));
}

function isNamed(path: string, format: JsonFormat): boolean {
  return format.names.test(path.slice(findRoot(path, format).length));
}

/** The folder of the export that a file is in: its name may have folders itself, as `projects/a.json` has. */
function findRoot(path: string, { names }: JsonFormat): string {
  const segments = path.split("/");
  const named = segments.findIndex((_, at) => names.test(segments.slice(at).join("/")));
  const folders = segments.slice(0, named < 0 ? -1 : named);
  return folders.map((segment) => `${segment}/`).join("");
}
