/**
 * Broken files for each importer, many more than in the tests. Formats take turns, so that a run that is stopped has
 * tried all of them. Documents are extracted in their process, as in an import.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createExtractor,
  createMemoryFiles,
  type Extractor,
  openFiles,
  requireImporter,
} from "@rungs/importers";
import fc from "fast-check";
import {
  type BrokenFormat,
  documentFormats,
  exportFormats,
  type FileContents,
  storeFormat,
  workbookFormats,
  writeBroken,
} from "../testing/fuzz/formats.ts";
import { heldBytes } from "../testing/fuzz/memory.ts";
import { readBroken } from "../testing/fuzz/read-broken.ts";
import { printTable } from "./measure.ts";

/** What a run tries. */
export interface FuzzPlan {
  /** Broken files of each format. */
  readonly items: number;
  /** When to stop at the latest. */
  readonly minutes: number;
  /** The names of formats; all by default. */
  readonly formats: readonly string[];
  readonly seed: number;
}

interface Tally {
  readonly format: BrokenFormat;
  /** How many seeds were tried. */
  seeds: number;
  items: number;
  records: number;
  rejected: number;
  refused: number;
  ms: number;
  worst_ms: number;
  /** What repeats the slowest case. */
  worst: string;
  /** Errors that are no refusals, with the seed that repeats them. */
  readonly failures: string[];
}

const TURN_MS = 15_000;
const FILES_PER_SEED = 250;
const MIB = 1024 ** 2;

export async function benchFuzz(plan: FuzzPlan): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-fuzz-"));
  const extractor = createExtractor({ limits: { memory_bytes: 256 * MIB, time_ms: 5_000 } });
  const tallies = chooseFormats(plan.formats).map(createTally);
  const until = performance.now() + plan.minutes * 60_000;
  const before = await heldBytes();
  try {
    while (true) {
      const open = tallies.filter(({ items }) => items < plan.items);
      if (open.length === 0 || performance.now() > until) break;
      for (const tally of open) {
        if (performance.now() > until) break;
        await takeTurn(tally, plan, { folder, extractor });
        console.error(`${tally.format.name}: ${tally.items} of ${plan.items}; ${describeWorst(tally)}`);
      }
    }
  } finally {
    await extractor.close();
    rmSync(folder, { recursive: true });
  }
  const grown = (await heldBytes()) - before;
  printTable(
    `Fuzz: broken items of each format: files, or messages of an Outlook data file, read in full; ${(grown / MIB).toFixed(0)} MiB held in the end`,
    [
      "format",
      "broken items",
      "records",
      "rejected items",
      "refused whole",
      "seconds",
      "worst, ms",
      "crashes",
    ],
    tallies.filter(({ items }) => items > 0).map(renderRow),
  );
  const failures = tallies.flatMap((tally) => tally.failures);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
}

function chooseFormats(names: readonly string[]): readonly BrokenFormat[] {
  const all = [...exportFormats, ...workbookFormats, ...documentFormats, storeFormat];
  for (const name of names)
    if (!all.some((format) => format.name === name))
      throw new Error(
        `There is no format ${name}; there are ${all.map((format) => format.name).join(", ")}.`,
      );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

function createTally(format: BrokenFormat): Tally {
  return {
    format,
    seeds: 0,
    items: 0,
    records: 0,
    rejected: 0,
    refused: 0,
    ms: 0,
    worst_ms: 0,
    worst: "",
    failures: [],
  };
}

interface Tools {
  readonly folder: string;
  readonly extractor: Extractor;
}

async function takeTurn(tally: Tally, plan: FuzzPlan, tools: Tools): Promise<void> {
  const until = performance.now() + TURN_MS;
  while (tally.items < plan.items && performance.now() < until) {
    await trySeed(tally, plan.seed + tally.seeds, tools);
    tally.seeds += 1;
  }
}

async function trySeed(tally: Tally, seed: number, tools: Tools): Promise<void> {
  const { name, broken, whole, items = 1 } = tally.format;
  for (const [at, contents] of fc
    .sample(broken, { numRuns: Math.ceil(FILES_PER_SEED / items), seed })
    .entries()) {
    const began = performance.now();
    try {
      const { records, rejected, is_refused } = await readCase(tally.format, contents, tools);
      tally.records += records;
      tally.rejected += rejected;
      tally.refused += Number(is_refused);
    } catch (error) {
      tally.failures.push(
        `${name}, seed ${seed}, case ${at}: ${error instanceof Error ? error.stack : error}`,
      );
    }
    const ms = performance.now() - began;
    tally.ms += ms;
    if (ms > tally.worst_ms) {
      tally.worst_ms = ms;
      tally.worst = `seed ${seed}, case ${at}`;
    }
    tally.items +=
      items * Object.entries(contents).filter(([path, bytes]) => !isSame(whole[path], bytes)).length;
  }
}

function isSame(whole: Uint8Array | undefined, bytes: Uint8Array): boolean {
  return whole !== undefined && Buffer.compare(whole, bytes) === 0;
}

async function readCase(
  { importer, is_on_disk }: BrokenFormat,
  contents: FileContents,
  { folder, extractor }: Tools,
) {
  const files = is_on_disk
    ? await openFiles(writeBroken(folder, contents))
    : createMemoryFiles("export.zip", contents);
  try {
    return await readBroken(requireImporter(importer), files, extractor.extract);
  } finally {
    await files.close();
  }
}

function describeWorst({ worst_ms, worst, failures }: Tally): string {
  return `worst ${worst_ms.toFixed(0)} ms (${worst}), ${failures.length} crashes`;
}

function renderRow({ format, items, records, rejected, refused, ms, worst_ms, failures }: Tally): string[] {
  const counts = [items, records, rejected, refused].map(String);
  return [format.name, ...counts, (ms / 1000).toFixed(0), worst_ms.toFixed(0), String(failures.length)];
}
