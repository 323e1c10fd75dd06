/**
 * The comparison values of replaced and deleted versions, by which clients that follow changes learn that a record left
 * their scope.
 */
import type { SqlContext, WriteSql } from "../database.ts";

/** Under this field, each change whose values are kept has one row. */
export const KNOWN_FIELD = -1;

/** Copies the values of a version under the change that replaces it. */
export async function keepFormerValues(
  { sql, owner }: SqlContext<WriteSql>,
  { part, doc, seq }: { readonly part: number; readonly doc: number; readonly seq: number },
): Promise<void> {
  await sql.insert("former_values", [[owner, part, KNOWN_FIELD, new Uint8Array(0), seq]]);
  for (const table of ["scalars", "items"])
    await sql.run(
      `INSERT INTO former_values SELECT v.owner, v.part, v.field, v.value, CAST($3 AS BIGINT) FROM ${table} v WHERE v.owner = $1 AND v.doc = $2`,
      [owner, doc, seq],
    );
}

/** Deletes the values of pruned changes. */
export async function forgetFormer({ sql, owner }: SqlContext<WriteSql>): Promise<void> {
  await sql.run(
    "DELETE FROM former_values WHERE owner = $1 AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.owner = former_values.owner AND c.part = former_values.part AND c.seq = former_values.seq)",
    [owner],
  );
}

/**
 * Deletes all of them, since values of deleted records must be gone (R73). Clients that follow changes under conditions
 * then start over, because what left their scope is no longer known.
 */
export async function deleteFormer({ sql, owner }: SqlContext<WriteSql>, next_seq: number): Promise<void> {
  const deleted = await sql.run("DELETE FROM former_values WHERE owner = $1", [owner]);
  if (deleted > 0) await sql.run("UPDATE owners SET values_floor = $2 WHERE owner = $1", [owner, next_seq]);
}
