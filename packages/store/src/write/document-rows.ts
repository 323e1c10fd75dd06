import type { SqlContext, WriteSql } from "../database.ts";
import type { TableName } from "../tables.ts";

/** The tables with rows of a document besides its record, and those of its long texts. */
export const DOCUMENT_TABLES = ["scalars", "items", "blob_refs", "threads"] as const satisfies TableName[];
export const TEXT_TABLES = ["texts", "chunks"] as const satisfies TableName[];

/** Tables with a key that does not begin with the document: SQLite's planner would scan all rows of the owner. */
const BY_DOC: readonly TableName[] = [...DOCUMENT_TABLES, "records"];

/** Deletes the rows of documents from tables. */
export async function deleteDocumentRows(
  { sql, owner }: SqlContext<WriteSql>,
  tables: readonly TableName[],
  docs: readonly number[],
): Promise<void> {
  for (const table of tables) {
    const hint = BY_DOC.includes(table) ? sql.dialect.useIndex(`${table}_by_doc`) : "";
    await sql.run(
      `DELETE FROM ${table}${hint} WHERE owner = $1 AND ${sql.dialect.isAnyNumber("doc", "$2")}`,
      [owner, docs],
    );
  }
}
