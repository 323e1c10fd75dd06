/**
 * Words that occur only outside the scope cost as much as words that occur nowhere (R17, R51). Counts the work, which
 * time follows; pairs of queries are interleaved. What remains is the reading of the hidden words in the dictionary.
 */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { SpentWork, Store } from "../store.ts";

const GRANTED = 60;
const HIDDEN = 1_500;
const HIDDEN_WORDS = 300;
const START_MS = 1.7e12;
const until = scopeOver("messages", { time: { until_ms: START_MS + GRANTED * 1_000 } });

/** Each of them looks for something that only hidden records have, and for something that no record has. */
const PAIRS: readonly (readonly [hidden: string, absent: string])[] = [
  ["qhiddencommon", "zabsentcommon"],
  ["qhidden*", "zabsent*"],
  ["qhiddenword7x", "zabsentword7x"],
  ["qhiddenword1*", "zabsentword1*"],
  ['"shared qhidden*"', '"shared zabsent*"'],
  ['"qhiddencommon shared"', '"zabsentcommon shared"'],
  ["shared qhiddencommon", "shared zabsentcommon"],
  ["shared -qhidden*", "shared -zabsent*"],
];

testOnEachEngine(
  "R17 R51 words of hidden records do not change the counted work",
  async ({ store, context }) => {
    await createOwner(store);
    await ingest(
      store,
      Array.from({ length: GRANTED + HIDDEN }, (_, at) => {
        const secret = at < GRANTED ? "" : `qhiddencommon shared qhiddenword${at % HIDDEN_WORDS}x`;
        return message(`m${at}`, {
          body: `shared word${at % 50} ${secret}`,
          sent_at: new Date(START_MS + at * 1_000).toISOString(),
        });
      }),
    );
    for (const name of ["as written", "merged"]) {
      await context.test(name, async () => {
        for (const pair of PAIRS) for (const q of pair) await measure(store, q);
        for (let round = 0; round < 3; round += 1) {
          for (const [hidden, absent] of PAIRS) {
            const [of, without] = [await measure(store, hidden), await measure(store, absent)];
            assert.equal(of.postings, without.postings, `postings of ${hidden}`);
            assert.equal(of.rows, without.rows, `rows of ${hidden}`);
            assert.ok(of.terms - without.terms <= 2 * (HIDDEN_WORDS + 1), `terms of ${hidden}`);
            assert.ok(
              of.blocks - without.blocks <= 8,
              `${of.blocks} blocks of ${hidden}, not ${without.blocks}`,
            );
          }
        }
      });
      await store.tidy("me");
    }
  },
);

async function measure(store: Store, q: string): Promise<SpentWork> {
  const before = { ...store.work };
  await store.search(until, { query: requireQuery(q), limit: 10 });
  const { postings, terms, blocks, rows } = store.work;
  return {
    postings: postings - before.postings,
    terms: terms - before.terms,
    blocks: blocks - before.blocks,
    rows: rows - before.rows,
  };
}
