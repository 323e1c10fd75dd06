/** Gives a new owner of a PostgreSQL database the rows of another one. */
import type pg from "pg";
import { connectPostgres } from "./engines.ts";

/** What is not an owner's data. */
const OTHERS = ["secrets", "state", "audit", "audit_chains"];

/** Copies the rows of `source` for a name that is new. */
export async function copyOwner(url: string, source: string, name: string): Promise<void> {
  const client = await connectPostgres(url);
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<{ source: string; copy: string }>(
      "SELECT owner AS source, (SELECT max(owner) + 1 FROM owners) AS copy FROM owners WHERE owner_id = $1",
      [source],
    );
    const { source: from, copy: to } = rows[0] as (typeof rows)[number];
    const owner = { from, to };
    for (const [table, columns] of await listColumns(client)) {
      if (OTHERS.includes(table)) continue;
      const given = table === "owners" ? { owner_id: client.escapeLiteral(name) } : {};
      await client.query(writeCopy(table, columns, owner, given));
    }
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

function writeCopy(
  table: string,
  columns: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  given: Readonly<Record<string, string>>,
): string {
  const cells = columns.map((column) => (column === "owner" ? to : (given[column] ?? column)));
  return `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${cells.join(", ")} FROM ${table} WHERE owner = ${from}`;
}

/** The columns of each table that has rows of owners. */
async function listColumns(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
     WHERE table_schema = current_schema() GROUP BY table_name HAVING 'owner' = ANY(array_agg(column_name::text))`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}
