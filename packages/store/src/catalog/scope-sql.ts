/** Turns a scope into SQL conditions. Reads reach rows through these only (R51). */
import type { StreamScope } from "@rungs/contract";
import type { Dialect, Parameters, SqlContext } from "../database.ts";
import { ChangeKind } from "../write/change-log.ts";
import { KNOWN_FIELD } from "../write/former-values.ts";
import type { ScopedParent, ScopedPartition } from "./scoped-partition.ts";

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

/** The same for rows looked up by document, where SQLite would scan the whole partition instead. */
export function docInScope(context: ScopedContext, parameters: Parameters, alias: string): string {
  return inScope(context, parameters, alias, context.sql.dialect.passOver(`${alias}.part`));
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
const FORMER = { scalars: "former_values", items: "former_values", key: "seq" } as const;

/**
 * Ends a subquery that is looked up for one row at a time. Otherwise PostgreSQL would join the whole tables, and in a new database,
 * without statistics, in the worst order.
 */
const FOR_EACH = "LIMIT 1 OFFSET 0";

type Source = typeof LIVE | typeof FORMER;
type Statement = Pick<ScopedContext, "sql" | "owner" | "partition">;

/** Whether the scope has conditions on values, so that membership depends on a version's values. */
export function hasConditions({ conditions, parents }: ScopedPartition): boolean {
  return conditions.length + parents.length > 0;
}

/** The scope's conditions on the values of a version, which `version` identifies: a document, or the change that replaced it. */
export function meetsConditions(
  context: Statement,
  parameters: Parameters,
  version: string,
  source: Source = LIVE,
): string[] {
  const { sql, owner, partition } = context;
  const conditions = partition.conditions.map(({ lookups, is_negated }) => {
    const found = lookups.map(({ table, field, test, is_point }) => {
      // The unary plus keeps planners from reading all values of the field instead of those of one version.
      const partitionColumn = is_point ? "v.part" : "+v.part";
      const tested = test ? ` AND ${test(sql.dialect, parameters, "v.value")}` : "";
      return `EXISTS (SELECT 1 FROM ${source[table]} v WHERE v.owner = ${parameters.add(owner)} AND v.${source.key} = ${version}
        AND ${partitionColumn} = ${parameters.add(partition.id)} AND v.field = ${parameters.add(field)}${tested}${is_point && !is_negated ? "" : ` ${FOR_EACH}`})`;
    });
    return `${is_negated ? "NOT " : ""}(${found.join(" OR ")})`;
  });
  const belongs = partition.parents.map((parent) => {
    const links = `EXISTS (SELECT 1 FROM ${source.items} l WHERE l.owner = ${parameters.add(owner)} AND l.${source.key} = ${version}
      AND +l.part = ${parameters.add(partition.id)} AND +l.field = ${parameters.add(parent.link)}`;
    const inside =
      source === LIVE
        ? isInside(context, parameters, parent, "l.value")
        : wasInside(context, parameters, parent, version);
    return parent.is_needed
      ? `${links} AND ${inside} ${FOR_EACH})`
      : `NOT ${links} AND NOT ${inside} ${FOR_EACH})`;
  });
  return [...conditions, ...belongs];
}

/** Whether a column has the key of a parent in scope. */
export function isInside(
  { sql, owner }: Statement,
  parameters: Parameters,
  { partition }: ScopedParent,
  key: string,
): string {
  if (!partition) return "(1 = 0)";
  const covered = recordInScope({ sql, owner, partition }, parameters, "q");
  return `EXISTS (SELECT 1 FROM records q WHERE q.record_id = ${sql.dialect.toText(key)} AND ${covered} ${FOR_EACH})`;
}

/**
 * Whether a version that a change replaced belonged to a parent in scope. A parent that was deleted later counts as it was then;
 * one that moved since makes clients start over (`read/changes.ts`), and one that is newer than the change was not there.
 */
function wasInside(
  { sql, owner }: Statement,
  parameters: Parameters,
  { partition }: ScopedParent,
  change: string,
): string {
  if (!partition) return "(1 = 0)";
  const key = sql.dialect.toText("l.value");
  // Grandparents are nested in this statement, and refer to this alias.
  const q = `q${parameters.values.length}`;
  const covered = recordInScope({ sql, owner, partition }, parameters, q);
  const place = (alias: string) =>
    `${alias}.owner = ${parameters.add(owner)} AND ${alias}.part = ${parameters.add(partition.id)} AND ${alias}.record_id = ${key}`;
  const newer = `EXISTS (SELECT 1 FROM changes z WHERE ${place("z")} AND z.kind = ${ChangeKind.created} AND z.seq > ${change} ${FOR_EACH})`;
  const last = `NOT EXISTS (SELECT 1 FROM changes z WHERE z.owner = ${q}.owner AND z.part = ${q}.part AND z.record_id = ${q}.record_id AND z.kind = ${ChangeKind.deleted} AND z.seq > ${q}.seq)`;
  return `(CASE WHEN EXISTS (SELECT 1 FROM records ${q} WHERE ${place(q)})
    THEN EXISTS (SELECT 1 FROM records ${q} WHERE ${q}.record_id = ${key} AND ${covered} ${FOR_EACH}) AND NOT ${newer}
    ELSE EXISTS (SELECT 1 FROM changes ${q} WHERE ${place(q)} AND ${q}.kind = ${ChangeKind.deleted} AND ${q}.seq > ${change} AND ${last}
      AND ${["1 = 1", ...wasInScope({ sql, owner, partition }, parameters, q)].join(" AND ")} ${FOR_EACH}) END)`;
}

/**
 * Conditions for a version that the scope covered, by the change `alias` that replaced it. A version with unknown
 * values counts as outside: a tombstone would reveal the key of a possibly hidden record.
 */
export function wasInScope(context: Statement, parameters: Parameters, alias: string): string[] {
  const { sql, owner, partition } = context;
  const within = [
    ...timeWithin(parameters, partition.scope.time, `${alias}.old_time_ms`),
    ...idWithin(sql.dialect, parameters, partition.scope, `${alias}.record_id`),
  ];
  if (!hasConditions(partition)) return within;
  const isKnown = `EXISTS (SELECT 1 FROM former_values k WHERE k.owner = ${parameters.add(owner)} AND k.part = ${parameters.add(partition.id)} AND k.field = ${KNOWN_FIELD} AND k.seq = ${alias}.seq)`;
  return [...within, isKnown, ...meetsConditions(context, parameters, `${alias}.seq`, FORMER)];
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
