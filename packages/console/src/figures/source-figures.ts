/** Slow figures about a source: its records over time, and its size. A page waits for them only briefly. */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "@rungs/client";
import { measureSource, type OwnerContext, type StreamSize } from "@rungs/server";
import { countOverTime, type RecordHistogram } from "./histogram.ts";
import { countRecords, type SourceSummary } from "./sources.ts";

/** The cached figures of a source. */
export interface SourceFigures {
  readonly timeline: RecordHistogram | undefined;
  readonly sizes: readonly StreamSize[];
}

/** The known figures, by connection; stale ones during a recount. */
export interface KnownFigures {
  readonly figures: ReadonlyMap<string, SourceFigures>;
  readonly is_complete: boolean;
}

/** Reads the figures of sources. */
export type FiguresReader = (client: Client, sources: readonly SourceSummary[]) => Promise<KnownFigures>;

/** How long a page waits. */
const WAIT_MS = 40;
/**
 * When to recount a large source: after this share of its records changed, or after this time. A single new record
 * moves no bar.
 */
const [NEW_SHARE, RECOUNT_MS] = [0.001, 60_000];

/**
 * Creates the reader. It counts each source once, recounts after its records changed, and counts one source at a time.
 */
export function createFiguresReader(owner: OwnerContext, wait_ms = WAIT_MS): FiguresReader {
  const known = new Map<string, Counted>();
  let counting: Promise<void> | undefined;

  async function count(client: Client, sources: readonly SourceSummary[]): Promise<void> {
    for (const source of sources) {
      const figures = await readFigures(owner, client, source);
      known.set(source.connection_id, { source, at_ms: owner.now(), figures });
    }
  }

  return async (client, sources) => {
    const isOutdated = (source: SourceSummary) =>
      isCountedAgain(source, known.get(source.connection_id), owner.now());
    if (!counting && sources.some(isOutdated)) {
      counting = count(client, sources.filter(isOutdated)).finally(() => {
        counting = undefined;
      });
    }
    if (counting) await Promise.race([counting, wait(wait_ms, undefined, { ref: false })]);
    const found = sources.flatMap(({ connection_id }) => {
      const entry = known.get(connection_id);
      return entry ? [[connection_id, entry.figures] as const] : [];
    });
    return { figures: new Map(found), is_complete: !sources.some(isOutdated) };
  };
}

interface Counted {
  readonly source: SourceSummary;
  readonly at_ms: number;
  readonly figures: SourceFigures;
}

function isCountedAgain(source: SourceSummary, counted: Counted | undefined, now_ms: number): boolean {
  if (!counted) return true;
  if (JSON.stringify(counted.source.streams) === JSON.stringify(source.streams)) return false;
  const before = countRecords(counted.source);
  const isSmallChange = Math.abs(countRecords(source) - before) < NEW_SHARE * before;
  return !isSmallChange || now_ms - counted.at_ms >= RECOUNT_MS;
}

/** A source whose count fails, such as a deleted one, has no figures until its records change. */
async function readFigures(
  owner: OwnerContext,
  client: Client,
  source: SourceSummary,
): Promise<SourceFigures> {
  try {
    const sizes = await measureSource(owner, source.connection_id);
    return { sizes, timeline: await countOverTime(client, source, owner.now()) };
  } catch {
    return { sizes: [], timeline: undefined };
  }
}
