/**
 * Row-level security between owners (R120): a policy on every table shows only rows of the owner in the setting
 * `rungs.owner`. Policies do not apply to superusers and table owners, so the server works under a role that is neither
 * and cannot switch to another.
 */
import type pg from "pg";
import { tables } from "../tables.ts";

const INSUFFICIENT_PRIVILEGE = "42501";
const EXISTS_ALREADY = ["42710", "23505"];
const NAME_MAX_BYTES = 63;

/** What the role may look up before it knows an owner. PL/pgSQL keeps the plan of a function from call to call. */
const lookups = {
  rungs_owner_of_token: "SELECT owner FROM tokens WHERE digest = $1",
  rungs_find_owner: "SELECT owner FROM owners WHERE owner_id = $1",
};

/** Adds the policies and functions that are missing: in a new database, one of an older version, and for a new table. */
export async function wallTables(client: pg.PoolClient): Promise<void> {
  const bare = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS (SELECT 1 FROM pg_policies
       WHERE schemaname = current_schema() AND tablename = name AND policyname = 'rungs_owner')`,
    [Object.keys(tables)],
  );
  // The subquery is evaluated once for each statement, not for each row.
  for (const { name } of bare.rows)
    await client.query(`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
      CREATE POLICY rungs_owner ON ${name} USING (owner = (SELECT nullif(current_setting('rungs.owner', true), '')::bigint))`);
  const missing = await client.query<{ name: keyof typeof lookups }>(
    "SELECT name FROM unnest($1::text[]) AS name WHERE to_regprocedure(name || '(text)') IS NULL",
    [Object.keys(lookups)],
  );
  for (const { name } of missing.rows)
    await client.query(`CREATE FUNCTION ${name}(text) RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
        SET search_path FROM CURRENT AS 'BEGIN RETURN (${lookups[name]}); END';
      REVOKE ALL ON FUNCTION ${name}(text) FROM PUBLIC`);
}

/**
 * Opens the role for the server, inside the transaction that migrated the tables; creates it the first time. Undefined
 * if the database allows no other role: the program's own conditions are then the only protection.
 */
export async function openServerRole(client: pg.PoolClient, named?: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string; found: boolean; is_walled: boolean }>(
    `SELECT name, EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) AS found, row_security_active('owners') AS is_walled
     FROM (SELECT coalesce($1::text, 'rungs_server_of_' || current_user)::name::text AS name) AS wanted`,
    [named ?? null],
  );
  const [{ name, found, is_walled }] = rows as [(typeof rows)[number]];
  if (is_walled) throw new Error("the role of this address does not own the tables: name one that does");
  const role = client.escapeIdentifier(name.slice(0, NAME_MAX_BYTES));
  const isOpen =
    (found || (await attempt(client, `CREATE ROLE ${role} NOLOGIN`))) &&
    ((await attempt(client, `SET LOCAL ROLE ${role}; RESET ROLE`)) ||
      (await attempt(client, `GRANT ${role} TO CURRENT_USER; SET LOCAL ROLE ${role}; RESET ROLE`)));
  if (!isOpen) {
    if (named !== undefined)
      throw new Error(`the role ${named} does not exist, or this login is not a member of it`);
    return undefined;
  }
  await grantTables(client, name, role);
  return name;
}

async function grantTables(client: pg.PoolClient, name: string, role: string): Promise<void> {
  const { rows } = await client.query<{ is_complete: boolean }>(
    `SELECT bool_and(has_table_privilege($1, t, 'DELETE')) AND has_schema_privilege($1, current_schema(), 'USAGE')
       AND has_function_privilege($1, 'rungs_find_owner(text)', 'EXECUTE') AS is_complete FROM unnest($2::text[]) AS t`,
    [name, Object.keys(tables)],
  );
  if (rows[0]?.is_complete) return;
  const { rows: found } = await client.query<{ schema: string }>(
    "SELECT quote_ident(current_schema()) AS schema",
  );
  const schema = found[0]?.schema;
  await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${Object.keys(tables).join(", ")} TO ${role};
    GRANT EXECUTE ON FUNCTION rungs_owner_of_token(text), rungs_find_owner(text) TO ${role}`);
}

/** Whether statements succeeded; false where this login may not run them. */
async function attempt(client: pg.PoolClient, statements: string): Promise<boolean> {
  await client.query("SAVEPOINT role");
  try {
    await client.query(statements);
    return true;
  } catch (error) {
    const { code = "" } = error as { code?: string };
    await client.query("ROLLBACK TO SAVEPOINT role");
    if (EXISTS_ALREADY.includes(code)) return true;
    if (code === INSUFFICIENT_PRIVILEGE) return false;
    throw error;
  }
}
