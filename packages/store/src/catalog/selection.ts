/** The documents that a scope's conditions select: few as a list, many as a bitmap. */
import { Parameters } from "../database.ts";
import { DocSet } from "../index/doc-set.ts";
import { docInScope, isInside, recordInScope, type ScopedContext } from "./scope-sql.ts";
import type { Lookup, ScopedParent } from "./scoped-partition.ts";

/** Statements name up to this many documents; beyond, they test each record. */
export const FEW_DOCS = 4_096;
const PAGE_ROWS = 8_192;
/** More than can ever exist: a limit without effect. */
const MAX_PARENTS = 1_000_000_000;

/**
 * The context with all documents in scope, where one of the conditions selects few: reads of the stream then take time
 * proportional to their number, not to the stream's size. Unchanged for any other scope.
 */
export async function withSelected(context: ScopedContext): Promise<ScopedContext> {
  for (const { lookups, is_negated } of context.partition.conditions) {
    if (is_negated) continue;
    const parameters = new Parameters();
    const limited = lookups.map(
      (lookup, at) =>
        `SELECT doc FROM (SELECT v.doc FROM ${selectRows(context, parameters, lookup)} LIMIT ${FEW_DOCS + 1}) x${at}`,
    );
    const found = await context.sql.all<{ doc: number }>(limited.join(" UNION ALL "), parameters.values);
    if (found.length <= FEW_DOCS) return { ...context, selected: await keepInScope(context, found) };
  }
  for (const parent of context.partition.parents) {
    const found = parent.is_needed ? await findChildren(context, parent) : undefined;
    if (found && found.length <= FEW_DOCS) return { ...context, selected: await keepInScope(context, found) };
  }
  return context;
}

/** The documents that belong to parents in scope, at most one more than `FEW_DOCS`; undefined when there are many parents. */
async function findChildren(
  { sql, owner, partition }: ScopedContext,
  parent: ScopedParent,
): Promise<{ doc: number }[] | undefined> {
  if (!parent.partition) return [];
  const within = await withSelected({ sql, owner, partition: parent.partition });
  if (!within.selected && !parent.partition.scope.record_ids) return undefined;
  const parameters = new Parameters();
  // CROSS JOIN fixes SQLite's join order: start from the parents, which are few. The limit keeps PostgreSQL from
  // flattening the subquery: under row-level security, it uses an index for a column, but not for the result of a
  // function.
  return sql.all<{ doc: number }>(
    `SELECT l.doc FROM (SELECT ${sql.dialect.toBytes("q.record_id")} AS name FROM records q WHERE ${recordInScope(within, parameters, "q")} LIMIT ${MAX_PARENTS}) q
       CROSS JOIN items l WHERE l.owner = ${parameters.add(owner)} AND l.part = ${parameters.add(partition.id)} AND l.field = ${parameters.add(parent.link)} AND l.value = q.name
     LIMIT ${FEW_DOCS + 1}`,
    parameters.values,
  );
}

async function keepInScope(context: ScopedContext, found: readonly { doc: number }[]): Promise<number[]> {
  const parameters = new Parameters();
  const { isAnyNumber } = context.sql.dialect;
  const docs = parameters.add([...new Set(found.map(({ doc }) => doc))]);
  const rows = await context.sql.all<{ doc: number }>(
    `SELECT r.doc FROM records r WHERE ${docInScope(context, parameters, "r")} AND ${isAnyNumber("r.doc", docs)} ORDER BY r.doc`,
    parameters.values,
  );
  return rows.map(({ doc }) => doc);
}

/** The documents that all conditions select, and those that a negated one hides; undefined for all documents. */
export interface Selection {
  readonly included: DocSet | undefined;
  readonly excluded: DocSet;
}

export async function readSelection(context: ScopedContext): Promise<Selection> {
  let included: DocSet | undefined;
  const excluded = new DocSet();
  for (const { lookups, is_negated } of context.partition.conditions) {
    const found = is_negated ? excluded : new DocSet();
    for (const lookup of lookups)
      await eachDocument(
        context,
        (parameters) => selectRows(context, parameters, lookup, "s"),
        (doc) => found.add(doc),
      );
    if (!is_negated) included = included ? included.intersect(found) : found;
  }
  const never = context.partition.scope.never?.record_ids ?? [];
  for (const doc of await findDocuments(context, never)) excluded.add(doc);
  for (const parent of context.partition.parents) {
    const found = parent.is_needed ? new DocSet() : excluded;
    await eachDocument(
      context,
      (parameters) => selectLinked(context, parameters, parent),
      (doc) => found.add(doc),
    );
    if (parent.is_needed) included = included ? included.intersect(found) : found;
  }
  return { included, excluded };
}

/** The documents that belong to a parent in scope, or, where none is needed, to one that is outside. */
function selectLinked(context: ScopedContext, parameters: Parameters, parent: ScopedParent): string {
  const links = selectRows(context, parameters, { table: "items", field: parent.link }, "s");
  return `${links} AND ${parent.is_needed ? "" : "NOT "}${isInside(context, parameters, parent, "s.value")}`;
}

async function findDocuments(
  { sql, owner, partition }: ScopedContext,
  ids: readonly string[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await sql.all<{ doc: number }>(
    `SELECT r.doc FROM records r WHERE r.owner = $1 AND r.part = $2 AND ${sql.dialect.isAnyText("r.record_id", "$3")}`,
    [owner, partition.id, ids],
  );
  return rows.map(({ doc }) => doc);
}

function selectRows(
  { sql, owner, partition }: ScopedContext,
  parameters: Parameters,
  { table, field, test }: Lookup,
  alias = "v",
): string {
  const tested = test ? ` AND ${test(sql.dialect, parameters, `${alias}.value`)}` : "";
  return `${table} ${alias} WHERE ${alias}.owner = ${parameters.add(owner)} AND ${alias}.part = ${parameters.add(partition.id)} AND ${alias}.field = ${parameters.add(field)}${tested}`;
}

/** Visits the document of each row `s` of values, a bounded page of rows at a time. */
export async function eachDocument(
  { sql }: ScopedContext,
  selectFrom: (parameters: Parameters) => string,
  visit: (doc: number) => void,
): Promise<void> {
  let last: { readonly value: Uint8Array; readonly doc: number } | undefined;
  do {
    const parameters = new Parameters();
    const rows = selectFrom(parameters);
    const after = last
      ? ` AND (s.value, s.doc) > (${parameters.add(last.value)}, ${parameters.add(last.doc)})`
      : "";
    const page = await sql.all<{ value: Uint8Array; doc: number }>(
      `SELECT s.value, s.doc FROM ${rows}${after} ORDER BY s.value, s.doc LIMIT ${PAGE_ROWS}`,
      parameters.values,
    );
    for (const { doc } of page) visit(doc);
    last = page.length === PAGE_ROWS ? page.at(-1) : undefined;
  } while (last);
}
