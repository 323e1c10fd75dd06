/**
 * Broken files for each importer, many more than in the tests. Formats take turns, so that even a stopped run has tried
 * all of them. Documents are read in this process, which saves starting one for each, under a tighter time limit than
 * in an import; only an Outlook data file gets a separate process, as in an import.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryFiles, EXTRACTION_LIMITS, openFiles, requireImporter } from "@rungs/importers";
import { extractDocument } from "@rungs/importers/internal/extract-document";
import fc from "fast-check";
import { containerFormats } from "../testing/fuzz/containers.ts";
import {
  type BrokenFormat,
  documentFormats,
  exportFormats,
  type FileContents,
  workbookFormats,
  writeBroken,
} from "../testing/fuzz/formats.ts";
import { heldBytes } from "../testing/fuzz/memory.ts";
import { readBroken } from "../testing/fuzz/read-broken.ts";
import { openTallies, saveTallies, type Tally } from "./fuzz-tally.ts";
import { watchItems } from "./fuzz-watch.ts";
import { printTable } from "./measure.ts";

/** The options of a run. */
export interface FuzzPlan {
  /** Broken files of each format. */
  readonly items: number;
  /** The deadline. */
  readonly minutes: number;
  /** The names of formats; all by default. */
  readonly formats: readonly string[];
  readonly seed: number;
  /** Where tallies are kept between runs. */
  readonly state: string | undefined;
}

const TURN_MS = 15_000;
const FILES_PER_SEED = 250;
const MIB = 1024 ** 2;

export async function benchFuzz(plan: FuzzPlan): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-fuzz-"));
  const formats = chooseFormats(plan.formats);
  const tallies = openTallies(
    plan.state,
    formats.map(({ name }) => name),
  );
  let until = performance.now() + plan.minutes * 60_000;
  const stop = () => {
    until = 0;
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const tools: Tools = {
    folder,
    beginItem: watchItems(),
    save: () => saveTallies(plan.state, tallies),
    isOver: () => performance.now() > until,
  };
  const before = await heldBytes();
  try {
    while (true) {
      const open = tallies.filter(({ items }) => items < plan.items);
      if (open.length === 0 || tools.isOver()) break;
      for (const tally of open) {
        if (tools.isOver()) break;
        await takeTurn(formats.find(({ name }) => name === tally.name)!, tally, plan, tools);
        console.error(`${tally.name}: ${tally.items} of ${plan.items}; ${describeWorst(tally)}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const grown = (await heldBytes()) - before;
  printTable(
    `Fuzz: broken items of each format (files, unless the format says database rows, workbook sheets or Outlook messages); ${(grown / MIB).toFixed(0)} MiB held at the end`,
    [
      "format",
      "broken items",
      "records",
      "rejected items",
      "refused whole",
      "seconds of processor time",
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
  const all = [...exportFormats, ...workbookFormats, ...documentFormats, ...containerFormats];
  for (const name of names)
    if (!all.some((format) => format.name === name))
      throw new Error(
        `There is no format ${name}; there are ${all.map((format) => format.name).join(", ")}.`,
      );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

interface Tools {
  readonly folder: string;
  readonly beginItem: () => void;
  readonly save: () => void;
  /** Whether the time is up, or the run was asked to stop. */
  readonly isOver: () => boolean;
}

async function takeTurn(format: BrokenFormat, tally: Tally, plan: FuzzPlan, tools: Tools): Promise<void> {
  const until = performance.now() + TURN_MS;
  while (tally.items < plan.items && performance.now() < until && !tools.isOver()) {
    tally.trying = plan.seed + tally.seeds;
    tools.save();
    await trySeed(format, tally, tally.trying, tools);
    tally.seeds += 1;
    delete tally.trying;
  }
  tools.save();
}

async function trySeed(format: BrokenFormat, tally: Tally, seed: number, tools: Tools): Promise<void> {
  const { name, broken, whole, items = 1 } = format;
  for (const [at, contents] of fc
    .sample(broken, { numRuns: Math.ceil(FILES_PER_SEED / items), seed })
    .entries()) {
    tools.beginItem();
    const began = spentMs();
    let read = 0;
    try {
      const { records, rejected, is_refused } = await readCase(format, contents, tools.folder);
      tally.records += records;
      tally.rejected += rejected;
      tally.refused += Number(is_refused);
      read = records + rejected;
    } catch (error) {
      tally.failures.push(
        `${name}, seed ${seed}, case ${at}: ${error instanceof Error ? error.stack : error}`,
      );
    }
    const ms = spentMs() - began;
    tally.cpu_ms += ms;
    if (ms > tally.worst_ms) {
      tally.worst_ms = ms;
      tally.worst = `seed ${seed}, case ${at}`;
    }
    // A data file that cannot be opened counts once: none of its messages was tried.
    tally.items +=
      Math.max(1, Math.min(items, read)) *
      Object.entries(contents).filter(([path, bytes]) => !isSame(whole[path], bytes)).length;
  }
}

/** CPU time, since the bench may share its machine. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isSame(whole: Uint8Array | undefined, bytes: Uint8Array): boolean {
  return whole !== undefined && Buffer.compare(whole, bytes) === 0;
}

async function readCase({ importer, is_on_disk }: BrokenFormat, contents: FileContents, folder: string) {
  const files = is_on_disk
    ? await openFiles(writeBroken(folder, contents))
    : createMemoryFiles("export.zip", contents);
  try {
    return await readBroken(requireImporter(importer), files, (request) =>
      extractDocument(request, EXTRACTION_LIMITS),
    );
  } finally {
    await files.close();
  }
}

function describeWorst({ worst_ms, worst, failures }: Tally): string {
  return `worst ${worst_ms.toFixed(0)} ms (${worst}), ${failures.length} crashes`;
}

function renderRow({ name, cpu_ms, worst_ms, failures, ...tally }: Tally): string[] {
  const counts = [tally.items, tally.records, tally.rejected, tally.refused].map(String);
  return [name, ...counts, (cpu_ms / 1000).toFixed(0), worst_ms.toFixed(0), String(failures.length)];
}
