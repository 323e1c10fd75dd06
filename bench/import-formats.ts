/** The formats whose import is measured, each with a generated export. */
import { closeSync, openSync, writeSync } from "node:fs";
import { writeMbox } from "../tests/import/mbox-corpus.ts";
import { createRecords } from "./corpus.ts";

/** A format, and how an export of it is made. */
export interface ImportFormat {
  readonly name: string;
  /** The import may take this many times what its parser alone takes; no goal when left out. */
  readonly goal?: number;
  write(file: string, bytes: number): void;
}

export const importFormats: readonly ImportFormat[] = [
  { name: "mail.mbox", goal: 2.5, write: (file, bytes) => writeMbox(file, { bytes }) },
  { name: "table.csv", write: (file, bytes) => writeLines(file, bytes, "id,subject,body,sent_at", toCsv) },
  { name: "table.jsonl", write: (file, bytes) => writeLines(file, bytes, undefined, JSON.stringify) },
];

type BenchRow = ReturnType<typeof createRecords> extends Generator<infer T> ? T : never;

function toCsv({ id, subject, body, sent_at }: BenchRow): string {
  return [id, subject, body, sent_at].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
}

function writeLines(
  file: string,
  bytes: number,
  head: string | undefined,
  toLine: (row: BenchRow) => string,
): void {
  const handle = openSync(file, "w");
  let written = head === undefined ? 0 : writeSync(handle, `${head}\n`);
  for (const row of createRecords(Number.MAX_SAFE_INTEGER)) {
    if (written >= bytes) break;
    written += writeSync(handle, `${toLine(row)}\n`);
  }
  closeSync(handle);
}
