import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createZip } from "../../testing/files/zip.ts";

/** A file of an export. */
export interface ExportFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Writes an export as an archive when its path ends in `.zip`, otherwise as a folder. */
export function writeFiles(path: string, files: Iterable<ExportFile>): void {
  if (path.endsWith(".zip")) {
    writeFileSync(path, createZip(Array.from(files, (file) => ({ ...file, packed: true }))));
    return;
  }
  for (const file of files) {
    const place = join(path, file.path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, file.content);
  }
}
