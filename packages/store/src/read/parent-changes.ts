/**
 * Whether records moved in or out of a scope with their parents. The change log has no row for that, which would be one for each
 * child, so clients that follow such children start over.
 */

import { recordInScope, type ScopedContext, wasInScope } from "../catalog/scope-sql.ts";
import type { ScopedParent } from "../catalog/scoped-partition.ts";
import { Parameters } from "../database.ts";
import { ChangeKind } from "../write/change-log.ts";

/** The changes that a client has not seen: after `since`, up to and including `horizon`. */
interface Unseen extends ScopedContext {
  readonly horizon: number;
}

export async function haveParentsMoved(context: Unseen, since: number): Promise<boolean> {
  for (const parent of context.partition.parents) if (await hasMoved(context, parent, since)) return true;
  return false;
}

/** A parent that came into the scope or left it, and that has or had a child which the client may know. */
async function hasMoved(context: Unseen, { link, partition }: ScopedParent, since: number): Promise<boolean> {
  if (!partition) return false;
  const { sql, owner, horizon } = context;
  const parent = { ...context, partition, selected: undefined };
  const parameters = new Parameters();
  const [ownerAt, parentAt, childAt, linkAt, sinceAt] = [
    owner,
    partition.id,
    context.partition.id,
    link,
    since,
  ].map((value) => parameters.add(value));
  const was = `(c.kind <> ${ChangeKind.created} AND coalesce(${["1 = 1", ...wasInScope(parent, parameters, "c")].join(" AND ")}, FALSE))`;
  const is = `EXISTS (SELECT 1 FROM records r WHERE r.record_id = c.record_id AND ${recordInScope(parent, parameters, "r")})`;
  const key = sql.dialect.toBytes("c.record_id");
  const lives = `EXISTS (SELECT 1 FROM items l CROSS JOIN records k WHERE l.owner = ${ownerAt} AND l.part = ${childAt} AND l.field = ${linkAt} AND l.value = ${key}
    AND k.owner = l.owner AND k.doc = l.doc AND NOT EXISTS (SELECT 1 FROM changes n WHERE n.owner = ${ownerAt} AND n.part = ${childAt} AND n.record_id = k.record_id
      AND n.kind = ${ChangeKind.created} AND n.seq > ${sinceAt}))`;
  // Before its parent was deleted, a child was inside: its own tombstone says that it left.
  const left = `EXISTS (SELECT 1 FROM former_values l WHERE l.owner = ${ownerAt} AND l.part = ${childAt} AND l.field = ${linkAt} AND l.value = ${key}
    AND l.seq > CASE c.kind WHEN ${ChangeKind.deleted} THEN c.seq ELSE ${sinceAt} END)`;
  const [row] = await sql.all<{ moved: number }>(
    `SELECT 1 AS moved FROM changes c WHERE c.owner = ${ownerAt} AND c.part = ${parentAt} AND c.seq > ${sinceAt} AND c.seq <= ${parameters.add(horizon)}
       AND c.kind <> ${ChangeKind.changed} AND ${was} <> ${is}
       AND (${lives} OR (c.kind <> ${ChangeKind.created} AND ${left})) LIMIT 1`,
    parameters.values,
  );
  return row !== undefined || haveParentsMoved(parent, since);
}
