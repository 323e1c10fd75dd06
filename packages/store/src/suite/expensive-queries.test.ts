/**
 * Generated expensive queries (prefixes, phrases, many clauses, wide filters, deep pages) stay within the work budget or are
 * refused (R56). `RUNGS_EXPENSIVE_QUERIES` sets how many.
 */
import assert from "node:assert/strict";
import { CodedError, requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { SearchRequest, SpentWork, Store } from "../store.ts";

const QUERIES = readSize("RUNGS_EXPENSIVE_QUERIES");
const RECORDS = 250;
const LIMITS = { postings: 12_000, terms: 2_000, blocks: 120, rows: 800 };
/** A loop may notice the limit one step late: a batch of rows, blocks or postings. */
const SLACK: SpentWork = { postings: 5_000, terms: 500, blocks: 64, rows: 500 };

const WORDS = Array.from({ length: 900 }, (_, at) => `w${at}x`).concat(
  "東京都庁",
  "京都",
  "the",
  "and",
  "of",
);

testOnEachEngine(
  "R56 expensive queries stay within the work budget or are refused",
  async ({ store, place }) => {
    const random = new Random(17);
    await createOwner(store);
    await ingest(
      store,
      Array.from({ length: RECORDS }, (_, at) =>
        message(`m${at}`, {
          subject: random.pick(WORDS),
          body: `the and of ${Array.from({ length: 30 }, () => random.pick(WORDS)).join(" ")}`,
          size_bytes: at,
          sent_at: new Date(1.7e12 + at * 60_000).toISOString(),
        }),
      ),
    );
    const limited = await place.open({ work_limits: LIMITS, rank_window: 20 });
    let refused = 0;
    for (let number = 0; number < QUERIES; number += 1) {
      const { text, request } = createExpensive(random);
      const before = { ...limited.work };
      refused += Number(await isRefused(limited, request, text));
      for (const unit of Object.keys(LIMITS) as (keyof SpentWork)[]) {
        const spent = limited.work[unit] - before[unit];
        assert.ok(spent <= LIMITS[unit] + SLACK[unit], `${text}: ${spent} ${unit}`);
      }
    }
    await limited.close();
    assert.ok(refused > QUERIES / 50 && refused < QUERIES, `${refused} of ${QUERIES} refused`);
  },
);

function createExpensive(random: Random): { text: string; request: SearchRequest } {
  const clauses = Array.from({ length: random.int(1, 16) }, () => createClause(random));
  const text = [random.pick(WORDS), ...clauses].join(" ");
  const filters = random.chance(0.3)
    ? [
        {
          connection_id: "mail",
          stream: "messages",
          filters: Array.from({ length: random.int(1, 4) }, () => ({
            field: "size_bytes",
            op: random.pick([">=", "!=", "<"] as const),
            value: random.int(0, RECORDS),
          })),
        },
      ]
    : [];
  const after = random.chance(0.2)
    ? { tier: 1 as const, score: 20 * random.next(), time_ms: null, tie: 0, id: "" }
    : undefined;
  const order = random.chance(0.2) ? ("newest" as const) : ("relevance" as const);
  return { text, request: { query: requireQuery(text), limit: random.int(1, 20), filters, after, order } };
}

function createClause(random: Random): string {
  const word = () => random.pick(WORDS);
  const prefix = () => `${random.pick(["w", "w1", "t", "東", "京", "a", "w2"])}*`;
  const kinds = [
    word,
    prefix,
    () => `"${word()} ${prefix()}"`,
    () => `"the ${prefix()}"`,
    () => `"the and of ${prefix()}"`,
    () => `-${word()}`,
    () => `+${prefix()}`,
    () => random.pick(["東", "都", "misspeled", "theand"]),
  ];
  return random.pick(kinds)();
}

/** Whether a search is refused; any other error fails the test. */
async function isRefused(store: Store, request: SearchRequest, text: string): Promise<boolean> {
  try {
    await store.search(scopeOver(), request);
    return false;
  } catch (error) {
    assert.ok(error instanceof CodedError && error.code === "work_limit_exceeded", `${text}: ${error}`);
    return true;
  }
}
