/** Runs of the index as rows: which there are, which are due for a merge, and the merge itself. */
import { TOKENIZER_VERSION } from "@rungs/evidence";
import type { Counters } from "../catalog/counters.ts";
import type { Sql, SqlRow, WriteSql } from "../database.ts";
import type { Block } from "../index/block.ts";
import { type BlockFeed, mergeSegmentBlocks } from "../index/merge.ts";

/**
 * So many runs of a level become one of the next. While large batches come in, as in an import, many are left lying: they are
 * gathered in the end, or by the next small write.
 */
const FAN_OUT = { usual: 16, bulk: 128 };
/** A run of level 0 has fewer tokens; each level up has so many times as many. */
const SMALL_TOKENS = 1 << 16;
const LEVEL_RATIO = 64;
/** A run with a larger share of documents that are gone is rewritten. */
const MAX_DEAD_SHARE = 0.25;
/** `gatherRuns` leaves a run alone that is more than this many times as large as all newer ones together. */
const GATHER_RATIO = 4;
/** Blocks of all merged runs together that are held at once. */
const FEED_BLOCKS = 512;

export interface Segment extends SqlRow {
  run: number;
  level: number;
  first_doc: number;
  last_doc: number;
  doc_count: number;
  token_count: number;
}

export function levelOf(token_count: number): number {
  if (token_count < SMALL_TOKENS) return 0;
  return 1 + Math.floor(Math.log(token_count / SMALL_TOKENS) / Math.log(LEVEL_RATIO));
}

/** The runs of a part, in order of their documents. */
export function listSegments(sql: Sql, owner: number, partition: number): Promise<Segment[]> {
  return sql.all<Segment>(
    "SELECT run, level, first_doc, last_doc, doc_count, token_count FROM runs WHERE owner = $1 AND part = $2 ORDER BY first_doc, run",
    [owner, partition],
  );
}

/** Documents of a part that are gone but still in its runs, rising. */
export async function listDead(sql: Sql, owner: number, partition: number): Promise<number[]> {
  const rows = await sql.all<{ doc: number }>(
    "SELECT doc FROM dead WHERE owner = $1 AND part = $2 ORDER BY doc",
    [owner, partition],
  );
  return rows.map((row) => row.doc);
}

/** Merges runs until none is due. */
export async function mergeDueSegments(
  sql: WriteSql,
  owner: number,
  partition: number,
  counters: Counters,
): Promise<void> {
  for (;;) {
    const runs = await listSegments(sql, owner, partition);
    const dead = await listDead(sql, owner, partition);
    const due = findDueSegments(runs, dead);
    if (!due) return;
    await mergeInto(sql, owner, partition, due, dead, counters);
  }
}

/** Merges runs until each is several times as large as all that are newer: a handful, whatever was written. */
export async function compactSegments(
  sql: WriteSql,
  owner: number,
  partition: number,
  counters: Counters,
): Promise<void> {
  const runs = await listSegments(sql, owner, partition);
  const tokensAfter = (at: number) => runs.slice(at + 1).reduce((sum, run) => sum + run.token_count, 0);
  const start = runs.findIndex(
    (run, at) => at < runs.length - 1 && tokensAfter(at) * GATHER_RATIO >= run.token_count,
  );
  if (start < 0) return;
  const due = withSharedDocs(runs, start, runs.length);
  const level = levelOf(due.reduce((sum, run) => sum + run.token_count, 0));
  await mergeInto(
    sql,
    owner,
    partition,
    { runs: due, level },
    await listDead(sql, owner, partition),
    counters,
  );
}

/** The newest runs that are many enough for their level, or a run of which too much is gone. */
function findDueSegments(
  runs: readonly Segment[],
  dead: readonly number[],
): { runs: readonly Segment[]; level: number } | undefined {
  const highest = Math.max(0, ...runs.map((run) => run.level));
  const isBulk = (runs.at(-1)?.level ?? 0) > 0;
  for (let level = 0; level <= highest; level += 1) {
    const start = runs.findLastIndex((run) => run.level > level) + 1;
    const tail = runs.slice(start).filter((run) => run.level === level);
    if (tail.length >= (level > 0 && isBulk ? FAN_OUT.bulk : FAN_OUT.usual))
      return { runs: withSharedDocs(runs, start, runs.length), level: level + 1 };
  }
  const worn = runs.findIndex((run) => deadIn(run, dead) > run.doc_count * MAX_DEAD_SHARE);
  return worn < 0
    ? undefined
    : { runs: withSharedDocs(runs, worn, worn + 1), level: (runs[worn] as Segment).level };
}

/** Runs `start` to `end`, and those beside them that hold parts of the same documents: a document leaves the index whole. */
function withSharedDocs(runs: readonly Segment[], start: number, end: number): readonly Segment[] {
  const sharesWithNext = (at: number) => {
    const run = runs[at];
    const next = runs[at + 1];
    return run !== undefined && next !== undefined && run.last_doc >= next.first_doc;
  };
  let from = start;
  let to = end;
  while (sharesWithNext(from - 1)) from -= 1;
  while (sharesWithNext(to - 1)) to += 1;
  return runs.slice(from, to);
}

function deadIn(run: Segment, dead: readonly number[]): number {
  return dead.filter((doc) => doc >= run.first_doc && doc <= run.last_doc).length;
}

async function mergeInto(
  sql: WriteSql,
  owner: number,
  partition: number,
  due: { runs: readonly Segment[]; level: number },
  dead: readonly number[],
  counters: Counters,
): Promise<void> {
  const run = counters.next_run++;
  const first_doc = Math.min(...due.runs.map((one) => one.first_doc));
  const last_doc = Math.max(...due.runs.map((one) => one.last_doc));
  const gone = dead.filter((doc) => doc >= first_doc && doc <= last_doc);
  await mergeSegmentBlocks(
    due.runs.map((one) => createFeed(sql, owner, one.run, Math.ceil(FEED_BLOCKS / due.runs.length))),
    gone,
    (blocks) =>
      sql.insert(
        "blocks",
        blocks.map((block) => [owner, run, block.first_key, block.body]),
      ),
  );
  const merged = due.runs.map((one) => one.run);
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
  const doc_count = due.runs.reduce((sum, one) => sum + one.doc_count, 0) - gone.length;
  const token_count = due.runs.reduce((sum, one) => sum + one.token_count, 0);
  if (doc_count > 0) {
    await sql.insert("runs", [
      [owner, run, partition, due.level, first_doc, last_doc, doc_count, token_count, TOKENIZER_VERSION],
    ]);
  } else {
    await sql.run("DELETE FROM blocks WHERE owner = $1 AND run = $2", [owner, run]);
  }
}

function createFeed(sql: Sql, owner: number, run: number, blocksAtOnce: number): BlockFeed {
  let after = new Uint8Array(0);
  return async () => {
    const blocks = await sql.all<{ first_key: Uint8Array; body: Uint8Array }>(
      `SELECT first_key, body FROM blocks WHERE owner = $1 AND run = $2 AND first_key > $3 ORDER BY first_key LIMIT $4`,
      [owner, run, after, blocksAtOnce],
    );
    after = (blocks.at(-1)?.first_key ?? after) as Uint8Array<ArrayBuffer>;
    return blocks as Block[];
  };
}
