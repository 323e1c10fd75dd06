/** Reads records under a scope: one, a page, and facts about a whole stream. */
import type { Catalog } from "../catalog/catalog.ts";
import { recordInScope, type ScopedContext, visibleFields } from "../catalog/scope-sql.ts";
import { withSelected } from "../catalog/selection.ts";
import { type Database, Parameters } from "../database.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { FieldSize, Store, StoredRecord, StreamFacts } from "../store.ts";
import { FactCache } from "./fact-cache.ts";
import { readValues, trimPage } from "./fit-values.ts";
import { readPage } from "./list-page.ts";
import { describePartition, readSizes, type StreamSizes } from "./stream-facts.ts";

export function createRecords(database: Database, catalog: Catalog) {
  const streamFacts = new FactCache<StreamFacts>();
  const streamSizes = new FactCache<StreamSizes>();
  return {
    async locate(scope, stream, record_id) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const streams = scope.streams.filter((one) => one.stream === stream);
        const found: string[] = [];
        for (const partition of await catalog.listScopedPartitions({ sql, owner }, { ...scope, streams })) {
          if (await readRow({ sql, owner, partition }, record_id)) found.push(partition.connection_id);
        }
        return found;
      });
    },

    async getRecord(scope, ref, fields, limits) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const partition = await catalog.findScopedPartition({ sql, owner }, scope, ref);
        const row = partition && (await readRow({ sql, owner, partition }, ref.record_id));
        return row && readValues({ sql, owner, partition }, row, visibleFields(partition, fields), limits);
      });
    },

    async listRecords(scope, request) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const partition = await catalog.findScopedPartition({ sql, owner }, scope, request);
        if (!partition) return { records: [] };
        const context = await withSelected({ sql, owner, partition });
        const rows = await readPage(context, request);
        const { limits } = request;
        const fields = visibleFields(partition, request.fields);
        const page = trimPage(context, rows.slice(0, request.limit), fields, limits);
        const last = page.at(-1);
        const records: StoredRecord[] = [];
        for (const row of page) records.push(await readValues(context, row, fields, limits));
        return {
          records,
          next:
            rows.length > page.length && last
              ? { sort: last.sort && Buffer.from(last.sort).toString("base64url"), record_id: last.record_id }
              : undefined,
        };
      });
    },

    async describeStreams(scope) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const partitions = await catalog.listScopedPartitions({ sql, owner }, scope);
        return streamFacts.list({ sql, owner }, partitions, async (partition) =>
          describePartition(await withSelected({ sql, owner, partition })),
        );
      });
    },

    async describeSizes(scope) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const partitions = await catalog.listScopedPartitions({ sql, owner }, scope);
        const sizes = await streamSizes.list({ sql, owner }, partitions, async (partition, outdated) =>
          readSizes(await withSelected({ sql, owner, partition }), outdated),
        );
        return partitions.flatMap(({ connection_id, stream }, at): FieldSize[] =>
          (sizes[at]?.longest ?? []).map(({ field, largest_chars }) => ({
            connection_id,
            stream,
            field,
            largest_chars,
          })),
        );
      });
    },
  } satisfies Partial<Store>;
}

async function readRow(context: ScopedContext, record_id: string): Promise<RecordRow | undefined> {
  const parameters = new Parameters();
  const [row] = await context.sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r WHERE ${recordInScope(context, parameters, "r")} AND r.record_id = ${parameters.add(record_id)}`,
    parameters.values,
  );
  return row;
}
