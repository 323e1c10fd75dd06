import type { Sql } from "../database.ts";
import type { BlockReader, IndexSegment } from "../index/block-reader.ts";
import type { ColumnCache } from "../index/column-cache.ts";
import { ColumnReader } from "../index/column-reader.ts";
import { IndexReader } from "../index/reader.ts";
import { listSegments } from "./segments.ts";

/** Opens a partition's segments: all, or those that may hold documents `first_doc` to `last_doc`. */
export async function openIndex(
  sql: Sql,
  owner: number,
  partition: number,
  docs?: { first_doc: number; last_doc: number },
): Promise<IndexReader> {
  const segments = await listSegments(sql, owner, partition);
  const near = docs
    ? segments.filter((segment) => segment.first_doc <= docs.last_doc && segment.last_doc >= docs.first_doc)
    : segments;
  return new IndexReader(near, blocksOf(sql, owner));
}

/** Readers over segments: of their lists, and of their documents' numbers. */
export function createReaders(
  sql: Sql,
  owner: number,
  segments: readonly IndexSegment[],
  cache: ColumnCache,
): { reader: IndexReader; columns: ColumnReader } {
  const blocks = blocksOf(sql, owner);
  return {
    reader: new IndexReader(segments, blocks),
    columns: new ColumnReader(owner, segments, blocks, cache),
  };
}

function blocksOf(sql: Sql, owner: number): BlockReader {
  return {
    ranges: (ranges) => sql.readBlocks(owner, ranges),
    async some({ segment, from, to }, limit) {
      const rows = await sql.all<{ body: Uint8Array }>(
        `SELECT body FROM blocks WHERE owner = $1 AND run = $2 AND first_key < $4
           AND first_key >= coalesce((SELECT first_key FROM blocks WHERE owner = $1 AND run = $2 AND first_key <= $3 ORDER BY first_key DESC LIMIT 1), $3)
         ORDER BY first_key LIMIT $5`,
        [owner, segment, from, to, limit],
      );
      return rows.map((row) => row.body);
    },
  };
}
