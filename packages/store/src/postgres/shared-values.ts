/** Values that the servers of a database share (`changeShared`), and keys that work once (`claimOnce`): rows of the table `state`. */
import type { ClaimTimes } from "../database.ts";
import type { SharedChange } from "../store.ts";
import type { PostgresSql } from "./postgres-sql.ts";

const CLAIM = "claim";
const SHARED = "shared";
/** The first half of the advisory locks of shared values: a name's hash is the second. */
const LOCKS = 771_701;

/** Deletes some of what has expired, except the row of `$2`. Rows that another server has locked follow later. */
const DROP_EXPIRED = `DELETE FROM state WHERE owner = $1 AND ctid IN (
   SELECT ctid FROM state WHERE owner = $1 AND kind IN ('${CLAIM}', '${SHARED}') AND expires_ms <= $4 AND id <> $2
   LIMIT 100 FOR UPDATE SKIP LOCKED)`;

/** One statement, outside the owner's lock: a one-time proof must not wait for an import. */
export async function claimKey(
  sql: PostgresSql,
  owner: number,
  key: string,
  { expires_ms, now_ms }: ClaimTimes,
): Promise<boolean> {
  const rows = await sql.all(
    `WITH expired AS (${DROP_EXPIRED})
     INSERT INTO state (owner, kind, id, value, expires_ms) VALUES ($1, '${CLAIM}', $2, 'null', $3)
     ON CONFLICT (owner, kind, id) DO UPDATE SET expires_ms = excluded.expires_ms WHERE state.expires_ms <= $4
     RETURNING id`,
    [owner, key, expires_ms, now_ms],
  );
  return rows.length === 1;
}

/** Two round trips: reads the value under its lock, then writes the new one. */
export async function changeValue<R>(
  sql: PostgresSql,
  owner: number,
  name: string,
  now_ms: number,
  change: SharedChange<R>,
): Promise<R> {
  // Not the row's own lock: two servers may be the first.
  sql.send("SELECT pg_advisory_xact_lock($1::int, hashtext($2))", [LOCKS, `${owner} ${name}`]);
  const [row] = await sql.all<{ value: string }>(
    `SELECT value FROM state WHERE owner = $1 AND kind = '${SHARED}' AND id = $2 AND expires_ms > $3`,
    [owner, name, now_ms],
  );
  const { value, kept_ms, result } = change(row && JSON.parse(row.value));
  const [text, expires_ms] = [JSON.stringify(value), Math.ceil(now_ms + kept_ms)];
  if (text === undefined) {
    if (row) sql.send(`DELETE FROM state WHERE owner = $1 AND kind = '${SHARED}' AND id = $2`, [owner, name]);
  } else if (row) {
    sql.send(
      `UPDATE state SET value = $3, expires_ms = $4 WHERE owner = $1 AND kind = '${SHARED}' AND id = $2`,
      [owner, name, text, expires_ms],
    );
  } else {
    // Nothing is written for an owner who was removed meanwhile.
    sql.send(
      `WITH expired AS (${DROP_EXPIRED})
       INSERT INTO state (owner, kind, id, value, expires_ms)
       SELECT $1::bigint, '${SHARED}', $2, $3, $5::bigint WHERE EXISTS (SELECT 1 FROM owners WHERE owner = $1)
       ON CONFLICT (owner, kind, id) DO UPDATE SET value = excluded.value, expires_ms = excluded.expires_ms`,
      [owner, name, text, now_ms, expires_ms],
    );
  }
  return result;
}
