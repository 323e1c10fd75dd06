/** A scope as conditions of a statement: the only way from a grant to rows (R51). */
import type { StreamScope } from "@rungs/contract";
import type { Dialect, Parameters } from "../database.ts";
import type { ScopedPartition } from "./catalog.ts";

/** Holds for the rows of `records` (under the name `alias`) that the scope covers. */
export function recordInScope(
  dialect: Dialect,
  parameters: Parameters,
  owner: number,
  partition: ScopedPartition,
  alias: string,
): string {
  return inScope(dialect, parameters, owner, partition, alias, `${alias}.part`);
}

/** The same for rows that are looked up by document: the plus keeps SQLite from walking the whole part instead. */
export function docInScope(
  dialect: Dialect,
  parameters: Parameters,
  owner: number,
  partition: ScopedPartition,
  alias: string,
): string {
  return inScope(dialect, parameters, owner, partition, alias, `+${alias}.part`);
}

function inScope(
  dialect: Dialect,
  parameters: Parameters,
  owner: number,
  partition: ScopedPartition,
  alias: string,
  partColumn: string,
): string {
  const conditions = [
    `${alias}.owner = ${parameters.add(owner)}`,
    `${partColumn} = ${parameters.add(partition.id)}`,
  ];
  conditions.push(...timeWithin(parameters, partition.scope.time, `${alias}.time_ms`));
  conditions.push(...idWithin(dialect, parameters, partition.scope, `${alias}.record_id`));
  return conditions.join(" AND ");
}

/** Holds when a time is within the scope's limits; none when it has no limits. */
export function timeWithin(parameters: Parameters, time: StreamScope["time"], column: string): string[] {
  const conditions: string[] = [];
  if (time?.since_ms !== undefined) conditions.push(`${column} >= ${parameters.add(time.since_ms)}`);
  if (time?.until_ms !== undefined) conditions.push(`${column} < ${parameters.add(time.until_ms)}`);
  return conditions;
}

/** Holds when a record's key is one that the scope names; none when it names no keys. */
export function idWithin(
  dialect: Dialect,
  parameters: Parameters,
  scope: StreamScope,
  column: string,
): string[] {
  return scope.record_ids ? [dialect.isAnyText(column, parameters.add(scope.record_ids))] : [];
}

/** The granted fields, narrowed to those asked for. */
export function visibleFields(
  partition: ScopedPartition,
  asked: readonly string[] | undefined,
): ReadonlySet<string> {
  return asked ? new Set(asked.filter((field) => partition.granted.has(field))) : partition.granted;
}
