import type { FileEntry, Files, RefusedFile } from "../files/files.ts";
import type { Importer } from "../importer.ts";
import type { Detection } from "./detection.ts";

/** Some files of a folder or archive for one importer. */
export interface Part {
  readonly importer: Importer;
  /** The folder that the files are in, with a trailing `/`; empty for the root. */
  readonly root: string;
  entries: FileEntry[];
  readonly detection: Detection;
  file_count: number;
  guesses: RefusedFile[];
}

/** Finds the exports that consist of several files. A file belongs to one of them, by the order of the importers. */
export async function findExports(files: Files, importers: readonly Importer[]): Promise<Part[]> {
  const parts: Part[] = [];
  const taken = new Set<string>();
  for (const importer of importers) {
    if (importer.recognition.kind !== "export") continue;
    for (const { root, paths, confidence, reason } of await importer.recognition.find(files)) {
      const entries: FileEntry[] = [];
      for (const path of paths) {
        const entry = taken.has(path) ? undefined : await files.find(path);
        if (entry) entries.push(entry);
        taken.add(path);
      }
      const guesses = confidence === "guess" ? entries.slice(0, 1).map(({ path }) => ({ path, reason })) : [];
      const detection = { confidence, reason };
      if (entries.length > 0)
        parts.push({ importer, root, entries, detection, file_count: entries.length, guesses });
    }
  }
  return parts;
}
