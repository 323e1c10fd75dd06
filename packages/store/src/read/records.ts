import { ApiError } from "@rungs/contract";
import type { Catalog, ScopedPartition } from "../catalog/catalog.ts";
import { docInScope, recordInScope, visibleFields } from "../catalog/scope-sql.ts";
import { type Database, type Dialect, Parameters, type Sql } from "../database.ts";
import { newestMark, parseMarks } from "../rows/marks.ts";
import { RECORD_COLUMNS, type RecordRow, toStoredRecord } from "../rows/record-rows.ts";
import type { FieldSize, ListRequest, ScalarFilter, Store, StreamFacts } from "../store.ts";
import { ChangeKind } from "../write/change-log.ts";
import { FactCache } from "./fact-cache.ts";
import { fieldFilter, requireFilterable } from "./filters.ts";

export function createRecords(database: Database, catalog: Catalog) {
  const knownStreams = new FactCache<StreamFacts>();
  const knownSizes = new FactCache<FieldSize[]>();
  return {
    async locate(scope, stream, record_id) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const streams = scope.streams.filter((one) => one.stream === stream);
        const found: string[] = [];
        for (const partition of await catalog.listScopedPartitions(sql, owner, { ...scope, streams })) {
          if (await readRow(sql, owner, partition, record_id)) found.push(partition.connection_id);
        }
        return found;
      });
    },

    async getRecord(scope, ref, fields) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const partition = await catalog.findScopedPartition(sql, owner, scope, ref);
        const row = partition && (await readRow(sql, owner, partition, ref.record_id));
        return row && toStoredRecord(partition, row, visibleFields(partition, fields));
      });
    },

    async listRecords(scope, request) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const partition = await catalog.findScopedPartition(sql, owner, scope, request);
        if (!partition) return { records: [] };
        const rows = await readPage(sql, owner, partition, request);
        const fields = visibleFields(partition, request.fields);
        const page = rows.slice(0, request.limit);
        const last = page.at(-1);
        return {
          records: page.map((row) => toStoredRecord(partition, row, fields)),
          next:
            rows.length > page.length && last
              ? { sort: last.sort && Buffer.from(last.sort).toString("base64url"), record_id: last.record_id }
              : undefined,
        };
      });
    },

    async describeStreams(scope) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const partitions = await catalog.listScopedPartitions(sql, owner, scope);
        return knownStreams.list(sql, owner, partitions, (partition) =>
          describePartition(sql, owner, partition),
        );
      });
    },

    async describeSizes(scope) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const partitions = await catalog.listScopedPartitions(sql, owner, scope);
        return (
          await knownSizes.list(sql, owner, partitions, (partition) => readSizes(sql, owner, partition))
        ).flat();
      });
    },
  } satisfies Partial<Store>;
}

async function readRow(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  record_id: string,
): Promise<RecordRow | undefined> {
  const parameters = new Parameters();
  const [row] = await sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r WHERE ${recordInScope(sql.dialect, parameters, owner, partition, "r")} AND r.record_id = ${parameters.add(record_id)}`,
    parameters.values,
  );
  return row;
}

interface SortedRow extends RecordRow {
  sort: Uint8Array | null;
}

/** What a page is sorted by: a column of `records`, a scalar of its own, or the key alone. */
type SortBy =
  | { readonly kind: "column" }
  | { readonly kind: "scalar"; readonly field: number }
  | { readonly kind: "key" };

function chooseSort(partition: ScopedPartition, { order_by }: ListRequest): SortBy {
  const { cursor_field } = partition.shape;
  if (order_by !== undefined && order_by !== cursor_field)
    return { kind: "scalar", field: requireFilterable(partition, order_by) };
  if (cursor_field !== undefined && partition.granted.has(cursor_field)) return { kind: "column" };
  if (order_by !== undefined) throw new ApiError("field_not_granted", { param: order_by });
  return { kind: "key" };
}

/** First the records that have a value to sort by, then those that have none. */
async function readPage(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  request: ListRequest,
): Promise<SortedRow[]> {
  const by = chooseSort(partition, request);
  const after = request.after;
  const wanted = request.limit + 1;
  const rows: SortedRow[] = [];
  if (by.kind !== "key" && (!after || after.sort !== null))
    rows.push(...(await readSorted(sql, owner, partition, request, by, wanted)));
  if (rows.length < wanted)
    rows.push(...(await readUnsorted(sql, owner, partition, request, by, wanted - rows.length)));
  return rows;
}

async function readSorted(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  request: ListRequest,
  by: SortBy,
  limit: number,
): Promise<SortedRow[]> {
  const parameters = new Parameters();
  const direction = request.order === "asc" ? "ASC" : "DESC";
  const column = by.kind === "scalar" ? "s.value" : "r.sort_key";
  const conditions = listConditions(sql.dialect, parameters, owner, partition, request.filters, by);
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
  // SQLite joins in the order of a CROSS JOIN: the values are walked in theirs, each with its record.
  const from = by.kind === "scalar" ? "scalars s CROSS JOIN records r" : "records r";
  return sql.all<SortedRow>(
    `SELECT ${RECORD_COLUMNS}, ${column} AS sort FROM ${from} WHERE ${conditions.join(" AND ")}
     ORDER BY ${column} ${direction}, r.record_id ${direction} LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
}

async function readUnsorted(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  request: ListRequest,
  by: SortBy,
  limit: number,
): Promise<SortedRow[]> {
  const parameters = new Parameters();
  const direction = request.order === "asc" ? "ASC" : "DESC";
  const conditions = listConditions(sql.dialect, parameters, owner, partition, request.filters);
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
  dialect: Dialect,
  parameters: Parameters,
  owner: number,
  partition: ScopedPartition,
  filters: readonly ScalarFilter[] = [],
  by?: SortBy,
): string[] {
  const inScope = by?.kind === "scalar" ? docInScope : recordInScope;
  return [
    inScope(dialect, parameters, owner, partition, "r"),
    ...filters.map((filter) => fieldFilter(parameters, owner, partition, filter, "r.doc")),
  ];
}

async function describePartition(sql: Sql, owner: number, partition: ScopedPartition): Promise<StreamFacts> {
  const parameters = new Parameters();
  const inScope = recordInScope(sql.dialect, parameters, owner, partition, "r");
  const [counted] = await sql.all<{ records: number; first_ms: number | null; last_ms: number | null }>(
    `SELECT count(*) AS records, min(r.time_ms) AS first_ms, max(r.time_ms) AS last_ms FROM records r WHERE ${inScope}`,
    parameters.values,
  );
  const { records = 0, first_ms = null, last_ms = null } = counted ?? {};
  const time = partition.shape.consent_time_field;
  const seesTime = time !== undefined && partition.granted.has(time);
  return {
    connection_id: partition.connection_id,
    stream: partition.stream,
    record_count: records,
    time_range: seesTime && first_ms !== null && last_ms !== null ? { first_ms, last_ms } : undefined,
    last_updated: await lastUpdated(sql, owner, partition),
  };
}

/** The time of the newest change that the scope sees. */
async function lastUpdated(sql: Sql, owner: number, partition: ScopedPartition): Promise<string | undefined> {
  const parameters = new Parameters();
  const [row] = await sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM changes c JOIN records r ON r.record_id = c.record_id AND ${recordInScope(sql.dialect, parameters, owner, partition, "r")}
     WHERE c.owner = ${parameters.add(owner)} AND c.part = ${parameters.add(partition.id)}
       AND (c.kind = ${ChangeKind.created} OR ${sql.dialect.sharesText("c.fields", parameters.add([...partition.granted]))})
     ORDER BY c.seq DESC LIMIT 1`,
    parameters.values,
  );
  return row && newestMark(parseMarks(row), partition.granted).emitted_at;
}

async function readSizes(sql: Sql, owner: number, partition: ScopedPartition): Promise<FieldSize[]> {
  const parameters = new Parameters();
  const inScope = recordInScope(sql.dialect, parameters, owner, partition, "r");
  const granted = sql.dialect.isAnyText("t.field", parameters.add([...partition.granted]));
  const rows = await sql.all<{ field: string; largest_chars: number }>(
    // SQLite joins in the order of a CROSS JOIN: from the partition's records to their texts, not through all texts of the owner.
    `SELECT t.field, max(t.size_chars) AS largest_chars FROM records r CROSS JOIN texts t
     WHERE ${inScope} AND r.cuts <> '[]' AND t.owner = r.owner AND t.doc = r.doc AND ${granted}
     GROUP BY t.field ORDER BY t.field`,
    parameters.values,
  );
  const { connection_id, stream } = partition;
  return rows.map((row) => ({ connection_id, stream, ...row }));
}
