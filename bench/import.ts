/** Import speed and memory, compared with the parser alone in the same run. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "../testing/postgres.ts";
import { type ImportFormat, importFormats } from "./import-formats.ts";
import { printTable, ratio } from "./measure.ts";

const run = promisify(execFile);
const RUN = fileURLToPath(new URL("import-run.ts", import.meta.url));
const ROUNDS = 3;

interface Outcome {
  readonly ms: number;
  readonly records: number;
  readonly rejected: number;
  /** Of the export's files; for an archive, of the unpacked files. */
  readonly total_bytes: number;
  readonly peak_bytes: number;
  /** Of the document-extraction process; 0 when there was none. */
  readonly reader_peak_bytes: number;
}

/** Alternates between the variants, so that all see the same machine load; reports the best round of each. */
export async function benchImport(megabytes: number, labels: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  const chosen = importFormats.filter(({ label }) => labels.length === 0 || labels.includes(label));
  for (const format of chosen) rows.push(...(await benchFormat(format, megabytes * 1e6)));
  printTable(
    `Import${labels.length === 0 ? "" : ` of ${labels.join(", ")}`}: each format, by the size of its files (of an archive, unpacked)`,
    [
      "export",
      "way",
      "MB",
      "records",
      "MB/s",
      "records/s",
      "peak memory",
      "peak memory of the extraction process",
      "against the parser alone",
      "goal",
    ],
    rows,
  );
}

/** The rows of one format; throws when an item was rejected or the variants imported different records. */
export async function benchFormat(format: ImportFormat, bytes: number, rounds = ROUNDS): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-import-"));
  try {
    const path = join(folder, format.name);
    format.write(path, bytes * (format.share ?? 1));
    const ways = { parser: [] as Outcome[], SQLite: [] as Outcome[], PostgreSQL: [] as Outcome[] };
    for (let round = 0; round < rounds; round += 1) {
      ways.parser.push(await measure("parser", path));
      ways.SQLite.push(await measure(join(folder, `round-${round}.db`), path));
      const database = await createTestDatabase();
      ways.PostgreSQL.push(await measure(database.url, path));
      await database.drop();
    }
    requireSame(format, Object.values(ways).flat());
    const alone = best(ways.parser);
    return Object.entries(ways).map(([way, outcomes]) => renderRow(format, way, best(outcomes), alone));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(way: string, path: string): Promise<Outcome> {
  const { stdout } = await run(process.execPath, ["--conditions=rungs-source", RUN, way, path]);
  const outcome: Outcome = JSON.parse(stdout);
  if (outcome.rejected === 0) return outcome;
  throw new Error(`${basename(path)}: ${outcome.rejected} items were rejected, so nothing is measured.`);
}

function requireSame({ label }: ImportFormat, outcomes: readonly Outcome[]): void {
  const counts = new Set(outcomes.map(({ records }) => records));
  if (counts.size > 1)
    throw new Error(
      `${label}: the variants imported different numbers of records: ${[...counts].join(", ")}.`,
    );
}

function best(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((least, each) => (each.ms < least.ms ? each : least));
}

function renderRow({ label, goal }: ImportFormat, way: string, outcome: Outcome, alone: Outcome): string[] {
  const { ms, records, total_bytes, peak_bytes, reader_peak_bytes } = outcome;
  return [
    label,
    way,
    (total_bytes / 1e6).toFixed(1),
    String(records),
    (total_bytes / 1000 / ms).toFixed(1),
    ((records * 1000) / ms).toFixed(0),
    mebibytes(peak_bytes),
    reader_peak_bytes === 0 ? "" : mebibytes(reader_peak_bytes),
    ratio(ms / alone.ms),
    way === "parser" || goal === undefined ? "" : `at most ${ratio(goal)}`,
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
