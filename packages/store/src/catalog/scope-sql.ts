/** Turns a scope into SQL conditions. Reads reach rows through these only (R51). */
import type { StreamScope } from "@rungs/contract";
import type { Dialect, Parameters, SqlContext } from "../database.ts";
import type { ScopedPartition } from "./catalog.ts";

/** What a scoped statement needs. */
export interface ScopedContext extends SqlContext {
  readonly partition: ScopedPartition;
  /** All documents in scope, where the conditions select few (`selection.ts`). Valid in one snapshot. */
  readonly selected?: readonly number[] | undefined;
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
  context: ScopedContext,
  parameters: Parameters,
  alias: string,
  partitionColumn: string,
): string {
  const { sql, owner, partition, selected } = context;
  if (selected)
    return `${alias}.owner = ${parameters.add(owner)} AND +${alias}.part = ${parameters.add(partition.id)} AND ${sql.dialect.isAnyNumber(`${alias}.doc`, parameters.add(selected))}`;
  const conditions = [
    `${alias}.owner = ${parameters.add(owner)}`,
    `${partitionColumn} = ${parameters.add(partition.id)}`,
  ];
  conditions.push(...timeWithin(parameters, partition.scope.time, `${alias}.time_ms`));
  conditions.push(...idWithin(sql.dialect, parameters, partition.scope, `${alias}.record_id`));
  conditions.push(...meetsConditions(context, parameters, `${alias}.doc`));
  return conditions.join(" AND ");
}

/** Conditions for a time within the scope's limits; empty when it has none. */
export function timeWithin(parameters: Parameters, time: StreamScope["time"], column: string): string[] {
  const conditions: string[] = [];
  if (time?.since_ms !== undefined) conditions.push(`${column} >= ${parameters.add(time.since_ms)}`);
  if (time?.until_ms !== undefined) conditions.push(`${column} < ${parameters.add(time.until_ms)}`);
  return conditions;
}

/** Where the values of a version are: by document while it is current, then by the change that replaced it. */
const LIVE = { scalars: "scalars", items: "items", key: "doc" } as const;
export const FORMER = { scalars: "former_values", items: "former_values", key: "seq" } as const;

/** The scope's conditions on the values of a version, which `version` identifies: a document, or the change that replaced it. */
export function meetsConditions(
  { owner, partition }: Pick<ScopedContext, "owner" | "partition">,
  parameters: Parameters,
  version: string,
  source: typeof LIVE | typeof FORMER = LIVE,
): string[] {
  return partition.conditions.map(({ lookups, is_negated }) => {
    const found = lookups.map(({ table, field, test, is_point }) => {
      // The unary plus keeps planners from reading all values of the field instead of those of one version.
      const partitionColumn = is_point ? "v.part" : "+v.part";
      const tested = test ? ` AND ${test(parameters, "v.value")}` : "";
      return `EXISTS (SELECT 1 FROM ${source[table]} v WHERE v.owner = ${parameters.add(owner)} AND v.${source.key} = ${version}
        AND ${partitionColumn} = ${parameters.add(partition.id)} AND v.field = ${parameters.add(field)}${tested})`;
    });
    return `${is_negated ? "NOT " : ""}(${found.join(" OR ")})`;
  });
}

/** Conditions for a record key that the scope names and the owner's exclusions do not; empty when they name no keys. */
export function idWithin(
  dialect: Dialect,
  parameters: Parameters,
  scope: StreamScope,
  column: string,
): string[] {
  const conditions: string[] = [];
  if (scope.record_ids) conditions.push(dialect.isAnyText(column, parameters.add(scope.record_ids)));
  const never = scope.never?.record_ids ?? [];
  if (never.length > 0) conditions.push(`NOT (${dialect.isAnyText(column, parameters.add(never))})`);
  return conditions;
}

/** The granted fields, narrowed to the requested ones. */
export function visibleFields(
  partition: ScopedPartition,
  requested: readonly string[] | undefined,
): ReadonlySet<string> {
  return requested ? new Set(requested.filter((field) => partition.granted.has(field))) : partition.granted;
}
