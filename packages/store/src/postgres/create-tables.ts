/**
 * The statements that create the tables of an empty database: plain, in partitions by owner, or distributed by owner. Every key and
 * unique index begins with the owner, so that all statements of one owner touch one partition or node.
 */
import { createSchema, SCHEMA_VERSION, type SchemaWriter } from "../schema.ts";
import { type TableName, tables } from "../tables.ts";

/** How tables are spread by owner: in hash partitions on one server, or over the nodes of a Citus cluster. */
export type ShardPlan = { readonly kind: "partitions"; readonly count: number } | { readonly kind: "citus" };

/** Rows of a few KiB stay in their page: a second read, from the TOAST table, costs more than it saves. */
const wideTables: readonly TableName[] = ["records", "chunks", "blocks", "vectors"];
/** Their bodies gain nothing from compression: most are compressed already. */
const PACKED_TABLES: readonly TableName[] = ["chunks", "blocks", "vectors", "blob_chunks"];
const TOAST = " WITH (toast_tuple_target = 8160)";

export const writer: SchemaWriter = {
  types: { int: "BIGINT", text: 'TEXT COLLATE "C"', bytes: "BYTEA", real: "DOUBLE PRECISION" },
  tableSuffix: (table) => (wideTables.includes(table) ? TOAST : ""),
};

/** Lists the statements, in order. */
export function listCreateStatements(plan?: ShardPlan): string[] {
  const names = Object.keys(tables) as TableName[];
  const isPartitioned = plan?.kind === "partitions";
  // A partitioned table has no storage of its own.
  const tableSuffix = isPartitioned ? () => " PARTITION BY HASH (owner)" : writer.tableSuffix;
  const schema = createSchema({ ...writer, tableSuffix });
  const ofTables = schema.filter((statement) => statement.startsWith("CREATE TABLE"));
  const others = schema.filter((statement) => !statement.startsWith("CREATE TABLE"));
  return [
    "CREATE TABLE IF NOT EXISTS rungs_schema (version INT NOT NULL)",
    ...ofTables,
    ...(isPartitioned ? names.flatMap((table) => listPartitions(table, plan.count)) : []),
    ...PACKED_TABLES.map((table) => `ALTER TABLE ${table} ALTER COLUMN body SET STORAGE EXTERNAL`),
    ...(plan?.kind === "citus" ? names.map(distribute) : []),
    ...others,
    `INSERT INTO rungs_schema VALUES (${SCHEMA_VERSION})`,
  ];
}

function listPartitions(table: TableName, count: number): string[] {
  return Array.from(
    { length: count },
    (_, at) =>
      `CREATE TABLE ${table}_${at} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${count}, REMAINDER ${at})${writer.tableSuffix(table)}`,
  );
}

/** The rows of an owner lie on one node, so that joins stay there. */
function distribute(table: TableName): string {
  const near = table === "owners" ? "" : ", colocate_with => 'owners'";
  return `SELECT create_distributed_table('${table}', 'owner'${near})`;
}
