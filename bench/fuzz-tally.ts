/** The results of a format's broken files, kept in a file so that a stopped run can be continued. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";

const tally = z.object({
  name: z.string(),
  /** How many seeds were tried. */
  seeds: z.number(),
  /** The seed being tried; still in the file if the process did not survive it. */
  trying: z.number().optional(),
  items: z.number(),
  records: z.number(),
  rejected: z.number(),
  refused: z.number(),
  cpu_ms: z.number(),
  worst_ms: z.number(),
  /** The seed that reproduces the slowest case. */
  worst: z.string(),
  /** Errors other than refusals, each with the seed that reproduces it. */
  failures: z.array(z.string()),
});

export type Tally = z.infer<typeof tally>;

const NOTHING = {
  seeds: 0,
  items: 0,
  records: 0,
  rejected: 0,
  refused: 0,
  cpu_ms: 0,
  worst_ms: 0,
  worst: "",
};

/** The tallies of these formats: those of the file, the others empty. A seed that ended its process is a failure. */
export function openTallies(file: string | undefined, names: readonly string[]): Tally[] {
  const kept = file && existsSync(file) ? z.array(tally).parse(JSON.parse(readFileSync(file, "utf8"))) : [];
  return names.map((name) => {
    const { trying, ...known } = kept.find((each) => each.name === name) ?? {
      name,
      ...NOTHING,
      failures: [],
    };
    if (trying === undefined) return known;
    return {
      ...known,
      seeds: known.seeds + 1,
      failures: [...known.failures, `${name}, seed ${trying}: ended its process`],
    };
  });
}

/** Writes all tallies atomically. */
export function saveTallies(file: string | undefined, tallies: readonly Tally[]): void {
  if (!file) return;
  writeFileSync(`${file}.new`, JSON.stringify(tallies));
  renameSync(`${file}.new`, file);
}
