import type { Sql } from "../database.ts";
import type { BlockReader, IndexSegment } from "../index/block-reader.ts";
import type { ColumnCache } from "../index/column-cache.ts";
import { ColumnReader } from "../index/column-reader.ts";
import type { DocFilter } from "../index/doc-set.ts";
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

/** Reads the numbers of the documents of segments. */
export function openColumns(
  sql: Sql,
  owner: number,
  segments: readonly IndexSegment[],
  cache: ColumnCache,
): ColumnReader {
  return new ColumnReader(owner, segments, blocksOf(sql, owner), cache);
}

/** Reads the lists of segments, limited to the documents of a filter. */
export function openLists(
  sql: Sql,
  owner: number,
  segments: readonly IndexSegment[],
  filter: DocFilter | undefined,
): IndexReader {
  return new IndexReader(segments, blocksOf(sql, owner), filter);
}

function blocksOf(sql: Sql, owner: number): BlockReader {
  return {
    budget: sql.budget,
    ranges: async (ranges, limit) => (ranges.length === 0 ? [] : sql.readBlocks(owner, ranges, limit)),
  };
}
