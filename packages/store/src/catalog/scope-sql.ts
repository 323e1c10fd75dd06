/** Turns a scope into SQL conditions. Reads reach rows through these only (R51). */
import type { StreamScope } from "@rungs/contract";
import type { Dialect, Parameters, SqlContext } from "../database.ts";
import type { ScopedPartition } from "./catalog.ts";

/** What a scoped statement needs. */
export interface ScopedContext extends SqlContext {
  readonly partition: ScopedPartition;
}

/** A condition for the rows of `records` (aliased as `alias`) that the scope covers. */
export function recordInScope(context: ScopedContext, parameters: Parameters, alias: string): string {
  return inScope(context, parameters, alias, `${alias}.part`);
}

/** The same for rows looked up by document: the unary plus keeps SQLite from scanning the whole partition instead. */
export function docInScope(context: ScopedContext, parameters: Parameters, alias: string): string {
  return inScope(context, parameters, alias, `+${alias}.part`);
}

function inScope(
  { sql, owner, partition }: ScopedContext,
  parameters: Parameters,
  alias: string,
  partitionColumn: string,
): string {
  const conditions = [
    `${alias}.owner = ${parameters.add(owner)}`,
    `${partitionColumn} = ${parameters.add(partition.id)}`,
  ];
  conditions.push(...timeWithin(parameters, partition.scope.time, `${alias}.time_ms`));
  conditions.push(...idWithin(sql.dialect, parameters, partition.scope, `${alias}.record_id`));
  return conditions.join(" AND ");
}

/** Conditions for a time within the scope's limits; empty when it has none. */
export function timeWithin(parameters: Parameters, time: StreamScope["time"], column: string): string[] {
  const conditions: string[] = [];
  if (time?.since_ms !== undefined) conditions.push(`${column} >= ${parameters.add(time.since_ms)}`);
  if (time?.until_ms !== undefined) conditions.push(`${column} < ${parameters.add(time.until_ms)}`);
  return conditions;
}

/** Conditions for a record key that the scope names; empty when the scope names no keys. */
export function idWithin(
  dialect: Dialect,
  parameters: Parameters,
  scope: StreamScope,
  column: string,
): string[] {
  return scope.record_ids ? [dialect.isAnyText(column, parameters.add(scope.record_ids))] : [];
}

/** The granted fields, narrowed to the requested ones. */
export function visibleFields(
  partition: ScopedPartition,
  requested: readonly string[] | undefined,
): ReadonlySet<string> {
  return requested ? new Set(requested.filter((field) => partition.granted.has(field))) : partition.granted;
}
