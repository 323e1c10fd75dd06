/** Reads one page of a partition in sort order (keyset pagination). */
import { ApiError } from "@rungs/contract";
import { docInScope, recordInScope, type ScopedContext } from "../catalog/scope-sql.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { Parameters } from "../database.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { ListRequest } from "../store.ts";
import { fieldFilter, requireSortable, sortKeyFilter } from "./filters.ts";

interface SortedRow extends RecordRow {
  sort: Uint8Array | null;
}

/** What a page is sorted by: the cursor field (a column of `records`), another scalar field, or the key alone. */
type SortBy =
  | { readonly kind: "column" }
  | { readonly kind: "scalar"; readonly field: number }
  | { readonly kind: "key" };

/** One row more than the limit, if there is one. Records with a sort value come first, then those without. */
export async function readPage(context: ScopedContext, request: ListRequest): Promise<SortedRow[]> {
  const by = chooseSort(context.partition, request);
  const { after } = request;
  const wanted = request.limit + 1;
  const rows: SortedRow[] = [];
  if (by.kind !== "key" && (!after || after.sort !== null))
    rows.push(...(await readSorted(context, request, by, wanted)));
  if (rows.length < wanted) rows.push(...(await readUnsorted(context, request, by, wanted - rows.length)));
  return rows;
}

function chooseSort(partition: ScopedPartition, { order_by }: ListRequest): SortBy {
  const { cursor_field } = partition.shape;
  if (order_by !== undefined && order_by !== cursor_field)
    return { kind: "scalar", field: requireSortable(partition, order_by) };
  if (cursor_field !== undefined && partition.granted.has(cursor_field)) return { kind: "column" };
  if (order_by !== undefined) throw new ApiError("field_not_granted", { param: order_by });
  return { kind: "key" };
}

async function readSorted(
  context: ScopedContext,
  request: ListRequest,
  by: SortBy,
  limit: number,
): Promise<SortedRow[]> {
  const { sql, owner, partition } = context;
  const parameters = new Parameters();
  const direction = request.order === "asc" ? "ASC" : "DESC";
  const column = by.kind === "scalar" ? "s.value" : "r.sort_key";
  const conditions = listConditions(context, parameters, request, by);
  conditions.push(`${column} IS NOT NULL`);
  if (by.kind === "scalar")
    conditions.push(
      `s.owner = ${parameters.add(owner)} AND s.part = ${parameters.add(partition.id)} AND s.field = ${parameters.add(by.field)} AND s.doc = r.doc`,
    );
  if (request.after?.sort) {
    const sort = parameters.add(Buffer.from(request.after.sort, "base64url"));
    const id = parameters.add(request.after.record_id);
    const beyond = request.order === "asc" ? ">" : "<";
    conditions.push(`${column} ${beyond}= ${sort}`, `(${column}, r.record_id) ${beyond} (${sort}, ${id})`);
  }
  // CROSS JOIN fixes SQLite's join order: scan the values in order, and look up the record of each.
  const from = by.kind === "scalar" ? "scalars s CROSS JOIN records r" : "records r";
  return sql.all<SortedRow>(
    `SELECT ${RECORD_COLUMNS}, ${column} AS sort FROM ${from} WHERE ${conditions.join(" AND ")}
     ORDER BY ${column} ${direction}, r.record_id ${direction} LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
}

/** Records without a sort value, by key. */
async function readUnsorted(
  context: ScopedContext,
  request: ListRequest,
  by: SortBy,
  limit: number,
): Promise<SortedRow[]> {
  const { sql, owner, partition } = context;
  const parameters = new Parameters();
  const direction = request.order === "asc" ? "ASC" : "DESC";
  const conditions = listConditions(context, parameters, request);
  if (by.kind === "column") conditions.push("r.sort_key IS NULL");
  if (by.kind === "scalar") {
    conditions.push(
      `r.doc NOT IN (SELECT s.doc FROM scalars s WHERE s.owner = ${parameters.add(owner)} AND s.part = ${parameters.add(partition.id)} AND s.field = ${parameters.add(by.field)})`,
    );
  }
  if (request.after && request.after.sort === null) {
    conditions.push(
      `r.record_id ${request.order === "asc" ? ">" : "<"} ${parameters.add(request.after.record_id)}`,
    );
  }
  const rows = await sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r WHERE ${conditions.join(" AND ")} ORDER BY r.record_id ${direction} LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
  return rows.map((row) => ({ ...row, sort: null }));
}

function listConditions(
  context: ScopedContext,
  parameters: Parameters,
  { filters = [], horizon }: ListRequest,
  by?: SortBy,
): string[] {
  const inScope = by?.kind === "scalar" ? docInScope : recordInScope;
  return [
    inScope(context, parameters, "r"),
    ...filters.map(
      (filter) =>
        sortKeyFilter(context, parameters, filter, "r.sort_key") ??
        fieldFilter(context, parameters, filter, "r.doc"),
    ),
    // A record keeps the position of its creation (`rows/record-rows.ts`).
    ...(horizon === undefined ? [] : [`r.seq <= ${parameters.add(horizon)}`]),
  ];
}
