import { createFileSet, type FileSource } from "./file-set.ts";
import type { FileEntry, Files, RefusedFile } from "./files.ts";
import { toSource } from "./select-files.ts";

/** An archive among other files. */
interface OpenedArchive {
  readonly entry: FileEntry;
  readonly files: Files;
}

/** Google splits large exports: `takeout-20260101T000000Z-1-001.zip`, `takeout-20260101T000000Z-1-002.zip`; so does Notion: `Export-…-Part-1.zip`. */
const PART =
  /^((?:.*\/)?(?:takeout-\d{8}T\d{6}Z(?=(?:-\d{1,4})+\.(?:zip|tgz)$)|Export-[0-9a-f-]{36}(?=-Part-\d{1,4}\.zip$)))/i;

/** The archives, with the parts of one export joined: a note may be in another part than its picture. */
export async function joinArchiveParts(
  archives: readonly OpenedArchive[],
): Promise<{ readonly path: string; readonly files: Files }[]> {
  const byExport = Map.groupBy(archives, ({ entry }) => PART.exec(entry.path)?.[1] ?? entry.path);
  const joined: { path: string; files: Files }[] = [];
  for (const [stem, parts] of byExport) {
    const [only, ...others] = parts;
    if (only && others.length === 0) joined.push({ path: only.entry.path, files: only.files });
    else joined.push({ path: stem, files: await joinFiles(stem, parts) });
  }
  return joined;
}

/** All files of the parts as one set. The parts stay open. */
async function joinFiles(stem: string, parts: readonly OpenedArchive[]): Promise<Files> {
  const sources = new Map<string, FileSource>();
  const refused: RefusedFile[] = [];
  for (const { files } of parts) {
    refused.push(...files.refused);
    for await (const entry of files.list()) {
      const before = sources.get(entry.path);
      if (!before) sources.set(entry.path, toSource(entry, entry.path));
      // Each part has the same overview of the whole.
      else if (before.size_bytes !== entry.size_bytes)
        refused.push({ path: entry.path, reason: "Another part has a different file of this name." });
    }
  }
  return createFileSet({
    name: stem.slice(stem.lastIndexOf("/") + 1),
    sources: [...sources.values()],
    refused,
  });
}
