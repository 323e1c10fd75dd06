/** Gives every read of a database its work budget: statements count the rows and blocks that they return (R56). */
import type { BlockRange, Database, Sql, SqlRow, Value } from "./database.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The database with a new budget for each read. Writes are the owner's and have none. */
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
