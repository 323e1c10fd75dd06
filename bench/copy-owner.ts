/** Gives a new owner the rows of another one, in the database itself. */
import { DatabaseSync } from "node:sqlite";
import { connectPostgres, type Engine } from "./engines.ts";

/** Tables with an `owner` column whose rows are not copied. */
const NOT_COPIED = ["secrets", "state", "audit", "audit_chains"];

/** The tables that have rows of owners, each with its columns separated by commas. */
const TABLES = {
  SQLite: `SELECT t.name AS name, group_concat(c.name) AS columns FROM sqlite_schema t, pragma_table_info(t.name) c
     WHERE t.type = 'table' GROUP BY t.name HAVING max(c.name = 'owner')`,
  PostgreSQL: `SELECT table_name AS name, string_agg(column_name, ',') AS columns FROM information_schema.columns
     WHERE table_schema = current_schema() GROUP BY table_name HAVING bool_or(column_name = 'owner')`,
};

interface Table {
  readonly name: string;
  readonly columns: string;
}

/** Runs one statement and returns its rows. */
type Run = <R>(statement: string) => Promise<R[]>;

/** Copies the rows of `source` for each of `names`, which are new. */
export async function copyOwner(engine: Engine, source: string, names: readonly string[]): Promise<void> {
  const { run, close } = await connect(engine);
  try {
    const tables = await run<Table>(TABLES[engine.name]);
    const [from] = await run<{ owner: number }>(`SELECT owner FROM owners WHERE owner_id = '${source}'`);
    for (const name of names) {
      await run("BEGIN");
      const [last] = await run<{ owner: number }>("SELECT max(owner) AS owner FROM owners");
      const cells = { owner: `${Number(last?.owner) + 1}` };
      for (const table of tables)
        if (!NOT_COPIED.includes(table.name))
          await run(
            writeCopy(
              table,
              table.name === "owners" ? { ...cells, owner_id: `'${name}'` } : cells,
              from?.owner,
            ),
          );
      await run("COMMIT");
    }
  } finally {
    await close();
  }
}

function writeCopy({ name, columns }: Table, given: Readonly<Record<string, string>>, from = 0): string {
  const cells = columns.split(",").map((column) => given[column] ?? column);
  return `INSERT INTO ${name} (${columns}) SELECT ${cells.join(", ")} FROM ${name} WHERE owner = ${from}`;
}

async function connect({ name, place }: Engine): Promise<{ readonly run: Run; close(): unknown }> {
  if (name === "SQLite") {
    const database = new DatabaseSync(place, { timeout: 60_000 });
    database.exec("PRAGMA synchronous = OFF");
    return {
      run: async <R>(statement: string) => database.prepare(statement).all() as R[],
      close: () => database.close(),
    };
  }
  const client = await connectPostgres(place);
  return {
    run: async <R>(statement: string) => (await client.query(statement)).rows as R[],
    close: () => client.end(),
  };
}
