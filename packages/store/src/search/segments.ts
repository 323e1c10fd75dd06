/** Index segments as rows: lists them, decides which are due for a merge, and merges them. */
import { TOKENIZER_VERSION } from "@rungs/evidence";
import type { Counters } from "../catalog/counters.ts";
import type { Sql, SqlRow, WriteSql } from "../database.ts";
import type { BlockReader } from "../index/blocks.ts";
import { type BlockFeed, mergeSegmentBlocks } from "../index/merge.ts";
import { IndexReader } from "../index/reader.ts";
import { dropPassages } from "../vectors/vector-upkeep.ts";

/**
 * How many segments of one level are merged into one of the next. Large batches, as in an import, use the higher value and
 * leave the rest to the final compaction or the next small write.
 */
const FAN_OUT = { usual: 16, bulk: 128 };
/** A segment of level 0 has fewer tokens than this. Each level's limit is `LEVEL_RATIO` times the one below. */
const SMALL_TOKENS = 1 << 16;
const LEVEL_RATIO = 64;
/** A segment with a larger share of deleted documents is rewritten. */
const MAX_DEAD_SHARE = 0.25;
/** `compactSegments` keeps a segment that is more than this many times as large as all newer ones together. */
const COMPACT_RATIO = 4;
/** How many blocks a merge holds at once, over all its segments. */
const FEED_BLOCKS = 512;

export interface Segment extends SqlRow {
  id: number;
  level: number;
  first_doc: number;
  last_doc: number;
  doc_count: number;
  token_count: number;
}

export function computeLevel(token_count: number): number {
  if (token_count < SMALL_TOKENS) return 0;
  return 1 + Math.floor(Math.log(token_count / SMALL_TOKENS) / Math.log(LEVEL_RATIO));
}

/** The segments of a partition, in document order. */
export function listSegments(sql: Sql, owner: number, partition: number): Promise<Segment[]> {
  return sql.all<Segment>(
    "SELECT run AS id, level, first_doc, last_doc, doc_count, token_count FROM runs WHERE owner = $1 AND part = $2 ORDER BY first_doc, run",
    [owner, partition],
  );
}

/** Deleted documents still present in the segments of a partition, ascending. */
export async function listDead(sql: Sql, owner: number, partition: number): Promise<number[]> {
  const rows = await sql.all<{ doc: number }>(
    "SELECT doc FROM dead WHERE owner = $1 AND part = $2 ORDER BY doc",
    [owner, partition],
  );
  return rows.map((row) => row.doc);
}

/** Merges segments until none is due. */
export async function mergeDueSegments(
  sql: WriteSql,
  owner: number,
  partition: number,
  counters: Counters,
): Promise<void> {
  for (;;) {
    const segments = await listSegments(sql, owner, partition);
    const dead = await listDead(sql, owner, partition);
    const due = findDueSegments(segments, dead);
    if (!due) return;
    await mergeInto(sql, owner, partition, due, dead, counters);
  }
}

/** Merges segments until each is several times as large as all newer ones together. A handful remain. */
export async function compactSegments(
  sql: WriteSql,
  owner: number,
  partition: number,
  counters: Counters,
): Promise<void> {
  const segments = await listSegments(sql, owner, partition);
  const tokensAfter = (at: number) =>
    segments.slice(at + 1).reduce((sum, segment) => sum + segment.token_count, 0);
  const start = segments.findIndex(
    (segment, at) => at < segments.length - 1 && tokensAfter(at) * COMPACT_RATIO >= segment.token_count,
  );
  if (start < 0) return;
  const due = withSharedDocs(segments, start, segments.length);
  const level = computeLevel(due.reduce((sum, segment) => sum + segment.token_count, 0));
  await mergeInto(
    sql,
    owner,
    partition,
    { segments: due, level },
    await listDead(sql, owner, partition),
    counters,
  );
}

/** Rewrites every segment that has deleted documents, so that nothing of them is left in the index. */
export async function dropDeadDocuments(
  sql: WriteSql,
  owner: number,
  partition: number,
  counters: Counters,
): Promise<void> {
  for (;;) {
    const segments = await listSegments(sql, owner, partition);
    const dead = await listDead(sql, owner, partition);
    const at = segments.findIndex((segment) => deadIn(segment, dead) > 0);
    if (at < 0) return;
    const due = { segments: withSharedDocs(segments, at, at + 1), level: (segments[at] as Segment).level };
    await mergeInto(sql, owner, partition, due, dead, counters);
  }
}

/** The newest segments if their level has enough of them, or a segment with too many deleted documents. */
function findDueSegments(
  segments: readonly Segment[],
  dead: readonly number[],
): { segments: readonly Segment[]; level: number } | undefined {
  const highest = Math.max(0, ...segments.map((segment) => segment.level));
  const isBulk = (segments.at(-1)?.level ?? 0) > 0;
  for (let level = 0; level <= highest; level += 1) {
    const start = segments.findLastIndex((segment) => segment.level > level) + 1;
    const tail = segments.slice(start).filter((segment) => segment.level === level);
    if (tail.length >= (level > 0 && isBulk ? FAN_OUT.bulk : FAN_OUT.usual))
      return { segments: withSharedDocs(segments, start, segments.length), level: level + 1 };
  }
  const worn = segments.findIndex((segment) => deadIn(segment, dead) > segment.doc_count * MAX_DEAD_SHARE);
  return worn < 0
    ? undefined
    : { segments: withSharedDocs(segments, worn, worn + 1), level: (segments[worn] as Segment).level };
}

/** Segments `start` to `end`, and adjacent ones that share a document with them: a document leaves the index whole. */
function withSharedDocs(segments: readonly Segment[], start: number, end: number): readonly Segment[] {
  const sharesWithNext = (at: number) => {
    const segment = segments[at];
    const next = segments[at + 1];
    return segment !== undefined && next !== undefined && segment.last_doc >= next.first_doc;
  };
  let from = start;
  let to = end;
  while (sharesWithNext(from - 1)) from -= 1;
  while (sharesWithNext(to - 1)) to += 1;
  return segments.slice(from, to);
}

function deadIn(segment: Segment, dead: readonly number[]): number {
  return dead.filter((doc) => doc >= segment.first_doc && doc <= segment.last_doc).length;
}

async function mergeInto(
  sql: WriteSql,
  owner: number,
  partition: number,
  due: { segments: readonly Segment[]; level: number },
  dead: readonly number[],
  counters: Counters,
): Promise<void> {
  const segment = counters.next_run++;
  const first_doc = Math.min(...due.segments.map((one) => one.first_doc));
  const last_doc = Math.max(...due.segments.map((one) => one.last_doc));
  const gone = dead.filter((doc) => doc >= first_doc && doc <= last_doc);
  await mergeSegmentBlocks(
    due.segments.map((one) => createFeed(sql, owner, one.id, Math.ceil(FEED_BLOCKS / due.segments.length))),
    gone,
    (blocks) =>
      sql.insert(
        "blocks",
        blocks.map((block) => [owner, segment, block.first_key, block.body]),
      ),
  );
  await dropPassages({ sql, owner }, partition, gone);
  const merged = due.segments.map((one) => one.id);
  await sql.run(`DELETE FROM blocks WHERE owner = $1 AND ${sql.dialect.isAnyNumber("run", "$2")}`, [
    owner,
    merged,
  ]);
  await sql.run(`DELETE FROM runs WHERE owner = $1 AND ${sql.dialect.isAnyNumber("run", "$2")}`, [
    owner,
    merged,
  ]);
  await sql.run("DELETE FROM dead WHERE owner = $1 AND part = $2 AND doc >= $3 AND doc <= $4", [
    owner,
    partition,
    first_doc,
    last_doc,
  ]);
  const doc_count = due.segments.reduce((sum, one) => sum + one.doc_count, 0) - gone.length;
  const token_count = due.segments.reduce((sum, one) => sum + one.token_count, 0);
  if (doc_count > 0) {
    await sql.insert("runs", [
      [owner, segment, partition, due.level, first_doc, last_doc, doc_count, token_count, TOKENIZER_VERSION],
    ]);
  } else {
    await sql.run("DELETE FROM blocks WHERE owner = $1 AND run = $2", [owner, segment]);
  }
}

function createFeed(sql: Sql, owner: number, segment: number, blocksAtOnce: number): BlockFeed {
  let after = new Uint8Array(0);
  return async () => {
    const blocks = await sql.all<{ first_key: Uint8Array; body: Uint8Array }>(
      `SELECT first_key, body FROM blocks WHERE owner = $1 AND run = $2 AND first_key > $3 ORDER BY first_key LIMIT $4`,
      [owner, segment, after, blocksAtOnce],
    );
    after = (blocks.at(-1)?.first_key ?? after) as Uint8Array<ArrayBuffer>;
    return blocks.map(({ first_key, body }) => ({
      first_key,
      body: sql.dialect.openBody("blocks", [owner, segment, first_key], body),
    }));
  };
}

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
  return new IndexReader(near, createBlockReader(sql, owner));
}

/** Reads blocks of stored segments. */
export function createBlockReader(sql: Sql, owner: number): BlockReader {
  return {
    budget: sql.budget,
    ranges: async (ranges, limit) => (ranges.length === 0 ? [] : sql.readBlocks(owner, ranges, limit)),
  };
}
