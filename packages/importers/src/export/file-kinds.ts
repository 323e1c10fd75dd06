/** Exports with many kinds of files: a table says how to recognize and read each kind. */
import type { ImportedItem, RejectedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import { parseResume } from "../files/resume.ts";
import type { FoundExport, ImportSource } from "../importer.ts";
import { type JsonElement, readElements } from "../json/read-elements.ts";
import { withCheckpoint } from "../record-item.ts";

/** A kind of file, and how to read its elements. */
export interface FileKind<Context> {
  /** The name of an element for people. */
  readonly noun: string;
  /** The paths that such files may have; other files are not opened. */
  readonly path: RegExp;
  /** Recognizes a file by its beginning. */
  isOwn(head: string, path: string): boolean;
  /** The member of a JSON object that holds the list of elements; without it, the file is a list or one element. */
  readonly list?: string | undefined;
  /** Splits a file that is not JSON into elements; skips the first `done`. */
  split?(file: FileEntry, done: number, context: Context): AsyncIterable<JsonElement | RejectedItem>;
  /** The records of an element. */
  read(element: JsonElement, context: Context): AsyncIterable<ImportedItem> | Iterable<ImportedItem>;
}

/** A file and its kind. */
export interface KindFile<Context> {
  readonly file: FileEntry;
  readonly kind: FileKind<Context>;
}

const HEAD_BYTES = 16 * 1024;

/** Finds the files of some kinds, in the order of the set. */
async function findKinds<Context>(
  files: Files | readonly FileEntry[],
  kinds: readonly FileKind<Context>[],
): Promise<KindFile<Context>[]> {
  const found: KindFile<Context>[] = [];
  const entries = "list" in files ? await listEntries(files) : files;
  for (const file of entries) {
    // A single file may have any name.
    const paths =
      entries.length === 1
        ? ["", ".json", ".jsonl", ".html", ".csv"].map((end) => file.path + end)
        : [file.path];
    const named = kinds.filter((kind) => paths.some((path) => kind.path.test(path)));
    if (named.length === 0) continue;
    const head = await readHead(file, HEAD_BYTES);
    const kind = named.find(({ isOwn }) => isOwn(head, file.path));
    if (kind) found.push({ file, kind });
  }
  return found;
}

/** What an export is called, and its kinds. */
export interface KindExport<Context> {
  readonly label: string;
  readonly kinds: readonly FileKind<Context>[];
  /** Prepares the readers' shared state, such as the names of people. */
  prepare(source: ImportSource, found: readonly KindFile<Context>[]): Promise<Context>;
}

/** Where an export is, and which other files belong to it. */
export interface KindPlaces<Context> {
  /**
   * The folder of the export that a recognized file is in, with a trailing `/`; empty for everything that was opened.
   */
  findRoot(path: string): string;
  /** Whether a file that is not read belongs to the export, or is one that its records mention. */
  createCompanionTest(root: string, own: readonly KindFile<Context>[]): (path: string) => boolean;
}

/** Finds the exports of these kinds, at any depth. */
export async function findKindExports<Context>(
  files: Files,
  { label, kinds }: Pick<KindExport<Context>, "label" | "kinds">,
  { findRoot, createCompanionTest }: KindPlaces<Context>,
): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  const byRoot = Map.groupBy(await findKinds(entries, kinds), ({ file }) => findRoot(file.path));
  return [...byRoot].map(([root, own]) => {
    const taken = new Set(own.map(({ file }) => file.path));
    const isCompanion = createCompanionTest(root, own);
    const beside = entries
      .map(({ path }) => path)
      .filter((path) => path.startsWith(root) && isCompanion(path));
    const reason = `its files have the members of a ${label}`;
    return { root, confidence: "signature", reason, paths: [...new Set([...taken, ...beside])] };
  });
}

/** Reads an export file by file and element by element, with a checkpoint after each element. */
export async function* readKinds<Context>(
  source: ImportSource,
  { label, kinds, prepare }: KindExport<Context>,
): AsyncGenerator<ImportedItem> {
  const found = await findKinds(source.files, kinds);
  if (found.length === 0) throw refuseFiles(source.files, label);
  const context = await prepare(source, found);
  const { path, counts = [] } = parseResume(source.resume) ?? {};
  const first = Math.max(
    0,
    found.findIndex(({ file }) => file.path === path),
  );
  for (const { file, kind } of found.slice(first)) {
    const done = file.path === path ? (counts[0] ?? 0) : 0;
    for await (const element of splitFile({ file, kind }, done, context)) {
      if (element.kind === "rejected") yield element;
      else yield* withCheckpoint(kind.read(element, context), element.checkpoint);
    }
  }
}

function splitFile<Context>({ file, kind }: KindFile<Context>, done: number, context: Context) {
  const { noun, list } = kind;
  return kind.split?.(file, done, context) ?? readElements([file], { noun, list, done });
}
