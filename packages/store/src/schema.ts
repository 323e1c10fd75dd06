/**
 * Keys, indexes and migrations of the tables, for both engines. Every key starts with the owner, so that PostgreSQL can be
 * sharded by owner without a redesign.
 */
import { TABLE_SOURCE_IDS } from "@rungs/contract";
import { type ColumnType, type TableName, tables } from "./tables.ts";

/** The number of the owner row that belongs to no person: secrets and the state of sign-ins belong to it, and creating owners locks it. */
export const PROGRAM_OWNER = 0;

/** Reads a secret of the program by its name. */
export const READ_SECRET = `SELECT value FROM secrets WHERE owner = ${PROGRAM_OWNER} AND name = $1`;

/** Incremented with every schema change; `steps` migrates from each earlier version. */
export const SCHEMA_VERSION = 11;

/** The columns of each table's key, in order. */
export const primaryKeys: Record<TableName, string> = {
  owners: "owner",
  secrets: "owner, name",
  manifests: "owner, source_id, declaration_version",
  connections: "owner, connection_id",
  parts: "owner, part",
  records: "owner, part, record_id",
  texts: "owner, doc, path",
  chunks: "owner, doc, text_no, start_char",
  scalars: "owner, part, field, value, doc",
  items: "owner, part, field, value, doc",
  threads: "owner, part, thread, time_ms, place",
  changes: "owner, part, record_id, seq",
  former_values: "owner, part, field, value, seq",
  runs: "owner, run",
  blocks: "owner, run, first_key",
  dead: "owner, part, doc",
  vectors: "owner, part, first_doc, number",
  embeddings: "owner, model",
  blobs: "owner, blob_id",
  blob_chunks: "owner, blob_no, start_byte",
  blob_refs: "owner, blob_id, doc, path",
  blob_sources: "owner, blob_id, connection_id",
  grants: "owner, grant_id",
  grant_usage: "owner, grant_id",
  exclusions: "owner, rule_id",
  tokens: "owner, digest",
  state: "owner, kind, id",
  audit: "owner, audit_id, request_id",
  syncs: "owner, sync_id",
  sync_cursors: "owner, sync_id, collection",
  sync_items: "owner, sync_id, collection, item",
  sync_runs: "owner, sync_id, started_ms",
  audit_chains: "owner",
};

const indexes: Record<string, string> = {
  owners_by_id: "owners (owner_id)",
  parts_by_stream: "parts (owner, connection_id, stream)",
  records_by_doc: "records (owner, doc)",
  records_by_sort: "records (owner, part, sort_key, record_id, doc)",
  records_by_time: "records (owner, part, time_ms)",
  texts_by_position: "texts (owner, doc, field, first_position)",
  // Partial: otherwise PostgreSQL also picks it for windows, and reads a text from its start.
  chunks_by_position:
    "chunks (owner, doc, text_no, first_position, start_char) WHERE first_position IS NOT NULL",
  scalars_by_doc: "scalars (owner, doc, field)",
  items_by_doc: "items (owner, doc)",
  threads_by_doc: "threads (owner, doc)",
  changes_by_seq: "changes (owner, part, seq)",
  former_values_by_seq: "former_values (owner, seq)",
  runs_by_part: "runs (owner, part, first_doc)",
  blob_refs_by_doc: "blob_refs (owner, doc)",
  // In the order of a scope's conditions, so that a lookup reads only references that the scope covers (R70).
  blob_refs_by_scope: "blob_refs (owner, part, blob_id, field, time_ms)",
  tokens_by_digest: "tokens (digest)",
  state_by_bundle: "state (owner, bundle)",
  state_by_expiry: "state (owner, expires_ms)",
  sync_items_by_record: "sync_items (owner, sync_id, record_id)",
  audit_by_grant: "audit (owner, grant_id, audit_id)",
  // Partial: only streams have several rows that belong together.
  audit_by_stream: "audit (owner, request_id) WHERE progress IS NOT NULL",
};

/** Indexes whose key identifies one row, declared so that the planners know. */
const unique = new Set(["records_by_doc", "scalars_by_doc", "threads_by_doc"]);

/** Columns that may be null; all others may not. */
const optional = new Set([
  "parts.masks",
  "parts.copied_doc",
  "owners.values_floor",
  "owners.account",
  "owners.record_count",
  "owners.byte_count",
  "owners.write_version",
  "parts.folding",
  "exclusions.tagged_doc",
  "records.marks",
  "records.time_ms",
  "records.sort_key",
  "texts.first_position",
  "texts.end_position",
  "chunks.first_position",
  "scalars.number",
  "blob_refs.time_ms",
  "changes.old_time_ms",
  "grants.revoked_at",
  "tokens.expires_at",
  "tokens.revoked_at",
  "tokens.audience",
  "state.bundle",
  "state.expires_ms",
  "syncs.secret",
  "syncs.holder",
  "syncs.lease_ms",
  "audit.grant_id",
  "audit.connection_id",
  "audit.stream",
  "audit.record_id",
  "audit.field",
  "audit.range_start",
  "audit.range_end",
  "audit.records",
  "audit.progress",
  "audit.requests",
  "audit.hash",
]);

/** How an engine spells column types and table options. */
export interface SchemaWriter {
  readonly types: Record<ColumnType, string>;
  tableSuffix(table: TableName): string;
}

/** The statements that create a new database. */
export function createSchema(writer: SchemaWriter): string[] {
  return [
    ...(Object.keys(tables) as TableName[]).map((table) => createTable(table, writer)),
    ...Object.keys(indexes).map(createIndex),
    `INSERT INTO owners VALUES (${PROGRAM_OWNER}, '', 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL)`,
  ];
}

/** The statements that migrate a database from an older version. */
export function updateSchema(version: number, writer: SchemaWriter): string[] {
  const from = Array.from({ length: SCHEMA_VERSION - version }, (_, at) => version + at);
  return from.flatMap((each) => steps[each]?.(writer) ?? []);
}

const TABLES = TABLE_SOURCE_IDS.map((id) => `'${id}'`).join(", ");

/** Migrations from a version to the next, by the version they start from. */
const steps: Readonly<Record<number, (writer: SchemaWriter) => string[]>> = {
  1: (writer) => [
    "DROP INDEX chunks_by_position",
    createIndex("chunks_by_position"),
    createTable("state", writer),
    createIndex("state_by_bundle"),
    createIndex("state_by_expiry"),
    `ALTER TABLE tokens ADD COLUMN audience ${writer.types.text}`,
  ],
  // The index of the former tokenizer is built again when the store opens; that fills the new tables.
  2: (writer) => [
    createTable("threads", writer),
    createIndex("threads_by_doc"),
    createTable("vectors", writer),
  ],
  // So far, every record got the built-in embedder's vectors at write time.
  3: (writer) => [
    createTable("embeddings", writer),
    createTable("items", writer),
    createIndex("items_by_doc"),
    `INSERT INTO embeddings SELECT owner, 'glove-64-1', next_doc - 1 FROM owners WHERE owner <> ${PROGRAM_OWNER}`,
    // Builds everything again when the store opens, which fills the table of list items.
    "UPDATE runs SET tokenizer = 0",
  ],
  // Rows without a hash are older than the chain.
  4: (writer) => [
    `ALTER TABLE audit ADD COLUMN progress ${writer.types.text}`,
    `ALTER TABLE audit ADD COLUMN requests ${writer.types.int}`,
    `ALTER TABLE audit ADD COLUMN hash ${writer.types.text}`,
    createIndex("audit_by_stream"),
    createTable("audit_chains", writer),
  ],
  // Connections stored the blobs that their records refer to, except tables, whose rows merely named them; rows that encode bytes have them.
  5: (writer) => [
    `CREATE TEMPORARY TABLE moved_refs AS
       SELECT b.owner, r.part, b.blob_id, b.field, r.time_ms, b.doc, b.path, p.connection_id
       FROM blob_refs b JOIN records r ON r.owner = b.owner AND r.doc = b.doc
         JOIN parts p ON p.owner = r.owner AND p.part = r.part
         JOIN connections c ON c.owner = p.owner AND c.connection_id = p.connection_id
       WHERE c.source_id NOT IN (${TABLES}) OR EXISTS (SELECT 1 FROM texts t
         WHERE t.owner = b.owner AND t.doc = b.doc AND t.path = b.path AND t.kind = 'binary')`,
    "DROP TABLE blob_refs",
    createTable("blob_refs", writer),
    createIndex("blob_refs_by_doc"),
    createIndex("blob_refs_by_scope"),
    createTable("blob_sources", writer),
    "INSERT INTO blob_refs SELECT owner, part, blob_id, field, time_ms, doc, path FROM moved_refs",
    "INSERT INTO blob_sources SELECT DISTINCT owner, blob_id, connection_id FROM moved_refs",
    "DROP TABLE moved_refs",
  ],
  6: (writer) => [
    ...(["syncs", "sync_cursors", "sync_items", "sync_runs"] as const).map((table) =>
      createTable(table, writer),
    ),
    createIndex("sync_items_by_record"),
  ],
  7: (writer) => [
    `ALTER TABLE parts ADD COLUMN masks ${writer.types.text}`,
    `ALTER TABLE parts ADD COLUMN copied_doc ${writer.types.int}`,
    createTable("grant_usage", writer),
  ],
  // The folded values of partitions without a mark are written when the store opens.
  8: (writer) => [
    `ALTER TABLE owners ADD COLUMN values_floor ${writer.types.int}`,
    `ALTER TABLE parts ADD COLUMN folding ${writer.types.int}`,
    createTable("former_values", writer),
    createIndex("former_values_by_seq"),
    createTable("exclusions", writer, ["tagged_doc"]),
  ],
  // Clients ask before it is known whose data they will read: the authorization server's state belongs to the program.
  9: ({ types }) => [
    `ALTER TABLE owners ADD COLUMN account ${types.text}`,
    `ALTER TABLE owners ADD COLUMN record_count ${types.int}`,
    `ALTER TABLE owners ADD COLUMN byte_count ${types.int}`,
    `UPDATE state SET owner = ${PROGRAM_OWNER} WHERE owner <> ${PROGRAM_OWNER} AND kind LIKE 'oauth.%'`,
  ],
  10: ({ types }) => [
    `ALTER TABLE exclusions ADD COLUMN tagged_doc ${types.int}`,
    `ALTER TABLE owners ADD COLUMN write_version ${types.int}`,
  ],
};

/** The statement that creates a table; without columns that a later step adds. */
function createTable(
  table: TableName,
  { types, tableSuffix }: SchemaWriter,
  later: readonly string[] = [],
): string {
  const columns = Object.entries<ColumnType>(tables[table]).filter(([column]) => !later.includes(column));
  const lines = columns.map(
    ([column, type]) => `${column} ${types[type]}${optional.has(`${table}.${column}`) ? "" : " NOT NULL"}`,
  );
  lines.push(`PRIMARY KEY (${primaryKeys[table]})`);
  return `CREATE TABLE ${table} (${lines.join(", ")})${tableSuffix(table)}`;
}

function createIndex(name: string): string {
  return `CREATE ${unique.has(name) ? "UNIQUE INDEX" : "INDEX"} ${name} ON ${indexes[name]}`;
}
