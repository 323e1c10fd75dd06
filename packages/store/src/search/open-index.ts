import type { Sql } from "../database.ts";
import type { BlockReader } from "../index/block-reader.ts";
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

/** Reads blocks of stored segments. */
export function blocksOf(sql: Sql, owner: number): BlockReader {
  return {
    budget: sql.budget,
    ranges: async (ranges, limit) => (ranges.length === 0 ? [] : sql.readBlocks(owner, ranges, limit)),
  };
}
