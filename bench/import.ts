/** How fast exports go in and what memory they take, beside the parser alone in the same run. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "../tests/postgres.ts";
import { type ImportFormat, importFormats } from "./import-formats.ts";
import { printTable, ratio } from "./measure.ts";

const run = promisify(execFile);
const RUN = fileURLToPath(new URL("import-run.ts", import.meta.url));
const ROUNDS = 3;

interface Outcome {
  readonly ms: number;
  readonly items: number;
  readonly peak_bytes: number;
}

/** Takes turns, so that all ways see the same weather; the best round of each is told. */
export async function benchImport(megabytes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-import-"));
  try {
    const rows: string[][] = [];
    for (const format of importFormats) rows.push(...(await benchFormat(format, folder, megabytes)));
    printTable(
      `Import: ${megabytes} MB of each format`,
      ["export", "way", "MB/s", "records/s", "peak memory", "against the parser alone", "goal"],
      rows,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function benchFormat(format: ImportFormat, folder: string, megabytes: number): Promise<string[][]> {
  const file = join(folder, format.name);
  format.write(file, megabytes * 1e6);
  const ways = { parser: [] as Outcome[], SQLite: [] as Outcome[], PostgreSQL: [] as Outcome[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    ways.parser.push(await measure("parser", file));
    ways.SQLite.push(await measure(join(folder, `${format.name}-${round}.db`), file));
    const database = await createTestDatabase();
    ways.PostgreSQL.push(await measure(database.url, file));
    await database.drop();
  }
  const alone = best(ways.parser);
  return Object.entries(ways).map(([way, outcomes]) => {
    const { ms, items, peak_bytes } = best(outcomes);
    return [
      format.name,
      way,
      ((megabytes * 1000) / ms).toFixed(1),
      ((items * 1000) / ms).toFixed(0),
      `${(peak_bytes / 1024 ** 2).toFixed(0)} MiB`,
      ratio(ms / alone.ms),
      way === "parser" || format.goal === undefined ? "" : `at most ${ratio(format.goal)}`,
    ];
  });
}

async function measure(way: string, file: string): Promise<Outcome> {
  const { stdout } = await run(process.execPath, ["--conditions=rungs-source", RUN, way, file]);
  return JSON.parse(stdout);
}

function best(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((least, each) => (each.ms < least.ms ? each : least));
}
