/** Imports the same keys again and again with different notes; a killed import is run again. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createNote, toLines } from "./notes.ts";
import { type Program, startImport } from "./program.ts";
import type { Service } from "./service.ts";
import { IMPORTS } from "./world.ts";
import { lookUp } from "./writers.ts";

/** How many records the program writes at once. */
const BATCH = 500;
const FIRST_NUMBER = 100_000_000;

export class Imports {
  readonly #service: Service;
  readonly #records: number;
  #program: Program | undefined;
  /** How many imports finished. */
  finished = 0;

  constructor(service: Service, records: number) {
    this.#service = service;
    this.#records = records;
  }

  /** Imports until aborted; finishes the import in progress. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const file = join(this.#service.world.place.folder, "import.ndjson");
      const notes = [...this.listNotes(this.finished + 1)].map(([key, number]) => createNote(key, number));
      writeFileSync(file, toLines(notes));
      await this.#finish(file);
      this.finished += 1;
    }
  }

  /** Kills the running import. The batches that a reader saw before are stored afterwards, each whole. */
  async kill(): Promise<void> {
    const numbers = this.listNotes(this.finished + 1);
    const seen = await this.#listBatches(numbers);
    await this.end();
    const kept = await this.#listBatches(numbers);
    assert.ok(
      seen.every((batch) => kept.includes(batch)),
      `batches ${seen} were seen, and ${kept} are stored`,
    );
  }

  async end(): Promise<void> {
    await this.#program?.kill();
  }

  /** The stored batches of an import, by their first record; the next import may have replaced them. */
  async #listBatches(numbers: ReadonlyMap<string, number>): Promise<number[]> {
    const isStored = async (at: number) =>
      ((await lookUp(this.#service, IMPORTS, `i${at}`)) ?? 0) >= (numbers.get(`i${at}`) ?? 0);
    const stored: number[] = [];
    for (let first = 0; first < this.#records; first += BATCH) {
      if (!(await isStored(first))) continue;
      assert.ok(await isStored(Math.min(first + BATCH, this.#records) - 1), "a batch was stored in part");
      stored.push(first);
    }
    return stored;
  }

  /** What is stored after `finished` imports: the number of each key's note. */
  listNotes(finished: number): Map<string, number> {
    const first = FIRST_NUMBER + finished * this.#records;
    const numbers = Array.from({ length: this.#records }, (_, at) => [`i${at}`, first + at] as const);
    return new Map(numbers);
  }

  async #finish(file: string): Promise<void> {
    for (;;) {
      await this.#service.ready;
      this.#program = startImport(this.#service.world, file, IMPORTS);
      const { code, out, err } = await this.#program.ended;
      if (code === 0) {
        const { added, changed, unchanged, rejected } = JSON.parse(out);
        assert.deepEqual([added + changed + unchanged, rejected], [this.#records, 0]);
        return;
      }
      // It was killed, or its database was, which it reports in one sentence.
      if (code !== null) assert.match(err, /^rungs: [^\n]+\n$/);
      await delay(50);
    }
  }
}
