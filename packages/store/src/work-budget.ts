/**
 * The work budget of one read (R56). Loops spend it in counted units, so that the same request on the same data always
 * ends in the same way; time is a backstop. It is made of plain numbers, so that any thread can create one.
 */
import { ApiError } from "@rungs/contract";
import type { BlockRange, Database, Sql, SqlRow, Value } from "./database.ts";
import type { SpentWork, WorkHooks, WorkLimits } from "./port/upkeep.ts";
import type { Traffic } from "./store.ts";

type Unit = keyof SpentWork;

export const defaultLimits: WorkLimits = {
  postings: 50_000_000,
  terms: 2_000_000,
  blocks: 50_000,
  rows: 1_000_000,
  milliseconds: 20_000,
};

/** The name of a unit in messages, and the advice for reducing it. */
const UNITS: Readonly<Record<keyof WorkLimits, { readonly name: string; readonly next: string }>> = {
  postings: {
    name: "index postings",
    next: "Use fewer or rarer words, write longer prefixes, or narrow by stream, connection_id, since and until.",
  },
  terms: {
    name: "dictionary words",
    next: "Write longer prefixes, or narrow by stream and connection_id.",
  },
  blocks: {
    name: "index blocks",
    next: "Use fewer phrases and prefixes, write longer prefixes, or narrow by stream, connection_id, since and until.",
  },
  rows: {
    name: "rows",
    next: "Use a narrower filter, a group_by with fewer values, or narrow by stream, connection_id, since and until.",
  },
  milliseconds: {
    name: "milliseconds",
    next: "Use fewer words, phrases and prefixes, or narrow by stream, connection_id, since, until and filter.",
  },
};

/** Creates the counters of a store. */
export function createSpentWork(): SpentWork {
  return { postings: 0, terms: 0, blocks: 0, rows: 0 };
}

/** What one read has spent of its limits. */
export class WorkBudget {
  readonly spent: SpentWork = createSpentWork();
  readonly #limits: WorkLimits;
  readonly #total: SpentWork | undefined;
  readonly #cancelled: (() => boolean) | undefined;
  readonly #pause: (() => number) | undefined;
  #end: number;

  /** `total` adds up the work of all reads. */
  constructor(limits: WorkLimits, total?: SpentWork, { cancelled, pause }: WorkHooks = {}) {
    this.#limits = limits;
    this.#total = total;
    this.#cancelled = cancelled;
    this.#pause = pause;
    this.#end = performance.now() + limits.milliseconds;
  }

  /** Counts work that was done, or is about to be; throws `work_limit_exceeded` beyond the limit. */
  spend(unit: Unit, amount: number): void {
    this.spent[unit] += amount;
    if (this.#total) this.#total[unit] += amount;
    if (this.spent[unit] > this.#limits[unit]) throw this.#refuse(unit);
    this.#end += this.#pause?.() ?? 0;
    if (this.#cancelled?.()) throw new ApiError("read_cancelled");
    if (performance.now() > this.#end) throw this.#refuse("milliseconds");
  }

  /** The remaining amount of a unit: a statement reads one more, to detect an excess. */
  left(unit: Unit): number {
    return Math.max(0, this.#limits[unit] - this.spent[unit]);
  }

  #refuse(unit: keyof WorkLimits): ApiError {
    const { name, next } = UNITS[unit];
    const limit = this.#limits[unit];
    return new ApiError("work_limit_exceeded", {
      message: `This request needs more than ${limit.toLocaleString("en")} ${name}, the limit of one request.`,
      next,
      limit,
      unit,
    });
  }
}

/** Counts the rows and bytes that a statement read from the database. */
export function countRows(traffic: Traffic, rows: readonly SqlRow[]): void {
  traffic.statements += 1;
  traffic.rows += rows.length;
  for (const row of rows) {
    for (const column in row) {
      const value = row[column];
      if (typeof value === "string" || value instanceof Uint8Array) traffic.bytes += value.length;
      else if (typeof value === "number") traffic.bytes += 8;
    }
  }
}

/**
 * The database with a new budget for each read, whose statements count the rows and blocks that they return (R56). Writes are the
 * owner's and have none.
 */
export function meterReads(database: Database, createBudget: () => WorkBudget): Database {
  return {
    ...database,
    get traffic() {
      return database.traffic;
    },
    read: (whose, work) => database.read(whose, (sql) => work(new MeteredSql(sql, createBudget()))),
    peek: (whose, work) => database.peek(whose, (sql) => work(new MeteredSql(sql, createBudget()))),
  };
}

class MeteredSql implements Sql {
  readonly budget: WorkBudget;
  readonly #sql: Sql;

  constructor(sql: Sql, budget: WorkBudget) {
    this.#sql = sql;
    this.budget = budget;
  }

  get dialect() {
    return this.#sql.dialect;
  }

  async all<R extends SqlRow>(statement: string, values?: readonly Value[]): Promise<R[]> {
    this.budget.spend("rows", 0);
    const rows = await this.#sql.all<R>(statement, values);
    this.budget.spend("rows", rows.length);
    return rows;
  }

  readSecret(name: string): Promise<string | undefined> {
    return this.#sql.readSecret(name);
  }

  async readBlocks(owner: number, ranges: readonly BlockRange[], limit?: number): Promise<Uint8Array[][]> {
    this.budget.spend("blocks", 0);
    const bodies = await this.#sql.readBlocks(owner, ranges, limit);
    this.budget.spend(
      "blocks",
      bodies.reduce((sum, { length }) => sum + length, 0),
    );
    return bodies;
  }
}
