import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { placesIn } from "../../../../testing/store/matching.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const PHRASES =
  "The café closed. CAFE Straße strasse don't mail foo@bar.com 東京都に住む。東京 ภาษาไทย 😀 résumé prefixes preface pre ﬁne e\u0301tude Ⅻ ";
const QUERIES = [
  "cafe",
  "STRASSE",
  "don't",
  '"the cafe"',
  '"closed cafe"',
  "foo@bar.com",
  "bar",
  "pre*",
  "東京",
  "京",
  "住む",
  "ไทย",
  "😀",
  "resume",
  "fine",
  "étude",
  "xii",
  '"preface pre*"',
  "absent",
  '"cafe the"',
];
const TEXTS: Readonly<Record<string, string>> = {
  "a short field": PHRASES,
  "a long field": `${"filler words here, ".repeat(700)}${PHRASES}${"more 文字 😀 text; ".repeat(900)}${PHRASES}`,
  "a field of one repeated word": "cafe ".repeat(3_000),
};
const PATHS = ["body", "parts[1].text", "payload.text"];

for (const [what, text] of Object.entries(TEXTS)) {
  testOnEachEngine(
    `R23 stepping from match to match in ${what} finds every match, in order`,
    async ({ store }) => {
      await createOwner(store);
      await ingest(store, [
        message("a", { body: text, parts: [{ text: "other" }, { text }], payload: { text, more: [text] } }),
      ]);
      for (const path of PATHS) {
        for (const q of QUERIES) {
          const wanted = placesIn(text, q).slice(0, 12);
          const found = [];
          for (let from = 0; found.length < 12; ) {
            const match = await find(store, path, q, from);
            if (!match.found) break;
            found.push({ start_chars: match.start_chars, end_chars: match.end_chars });
            from = match.start_chars + 1;
          }
          assert.deepEqual(found, wanted, `${q} in ${path}`);
        }
      }
    },
  );
}

testOnEachEngine(
  "R23 a search in a field starts exactly at from_chars, and never matches from the middle of a word",
  async ({ store }) => {
    await createOwner(store);
    const text = `${"unhappy happy ".repeat(800)}${"ab".repeat(90)} end`;
    await ingest(store, [message("a", { body: text, payload: { text }, subject: text.slice(0, 500) })]);
    for (const path of ["body", "payload.text", "subject"]) {
      const whole = path === "subject" ? text.slice(0, 500) : text;
      for (const q of ["happy", "ab*", '"happy unhappy"', "end"]) {
        const places = placesIn(whole, q);
        for (const from of [
          0, 1, 2, 3, 7, 8, 9, 13, 14, 4_090, 4_098, 11_199, 11_201, 11_264, 11_379, 11_381, 20_000,
        ]) {
          const wanted = places.find((place) => place.start_chars >= from);
          const match = await find(store, path, q, from);
          const got = match.found ? match.start_chars : undefined;
          assert.equal(got, wanted?.start_chars, `${q} in ${path} from ${from}`);
        }
      }
    }
  },
);

testOnEachEngine("R23 any number of blanks may separate the words of a phrase", async ({ store }) => {
  await createOwner(store);
  const text = `start foo${" ".repeat(20_000)}bar end`;
  await ingest(store, [message("a", { body: text, payload: { text } })]);
  const { hits } = await store.search(scopeOver(), { query: requireQuery('"foo bar"'), limit: 5 });
  assert.equal(hits.length, 1);
  assert.deepEqual(hits[0]?.proofs[0]?.matches, [{ start_chars: 6, end_chars: 20_012 }]);
  for (const path of ["body", "payload.text"]) {
    const match = await find(store, path, '"foo bar"');
    assert.deepEqual(match.found && [match.start_chars, match.end_chars], [6, 20_012], path);
  }
});

testOnEachEngine(
  "R23 a field that is not indexed is searched in steps, and reports how far",
  async ({ store }) => {
    await createOwner(store);
    const near = 4_000_000;
    const far = 4_500_000;
    const text = `${"x ".repeat(near / 2)}needle${" y".repeat((far - near) / 2)} hidden ${"z ".repeat(50_000)}`;
    await ingest(store, [message("a", { payload: { text } })]);
    const found = await find(store, "payload.text", "needle");
    assert.deepEqual(found.found && [found.start_chars, found.end_chars], [near, near + 6]);
    const missed = await find(store, "payload.text", "hidden");
    assert.ok(!missed.found && missed.searched_to >= 4_194_304 && missed.searched_to < far);
    assert.equal(missed.facts?.size_chars, text.length);
    const later = await find(store, "payload.text", "hidden", missed.searched_to);
    assert.ok(later.found);
    const never = await find(store, "payload.text", "absent", text.length - 1_000);
    assert.ok(!never.found && never.searched_to === text.length);
  },
);

testOnEachEngine(
  "R23 matches at the borders of steps and chunks are found at their offsets",
  async ({ store }) => {
    await createOwner(store);
    for (const border of [4_096, 8_192, 65_536]) {
      for (const shift of [-12, -5, -1, 0, 1]) {
        const text = `${", ".repeat(border).slice(0, border + shift)} golden bridge ${"; ".repeat(5_000)}`;
        await ingest(store, [message("a", { body: text, payload: { text } })]);
        for (const path of ["body", "payload.text"]) {
          for (const q of ["golden", "bridge", '"golden bridge"', "gold*"]) {
            const [wanted] = placesIn(text, q);
            const match = await find(store, path, q);
            assert.deepEqual(
              match.found && [match.start_chars, match.end_chars],
              [wanted?.start_chars, wanted?.end_chars],
              `${q} at ${border}${shift} in ${path}`,
            );
          }
        }
      }
    }
  },
);

testOnEachEngine("R54 nothing is found in a field, record or time outside the scope", async ({ store }) => {
  await createOwner(store);
  const sent_at = "2026-03-01T00:00:00Z";
  await ingest(store, [
    message("a", { body: `${"filler ".repeat(1_000)} secret`, subject: "secret", sent_at }),
  ]);
  for (const limits of [
    { fields: ["id"] },
    { time: { since_ms: Date.parse(sent_at) + 1 } },
    { record_ids: ["b"] },
    { connection_id: "work" },
  ]) {
    for (const path of ["body", "subject"]) {
      const match = await store.findInField(
        scopeOver("messages", limits),
        refOf("a"),
        path,
        requireQuery("secret"),
      );
      assert.deepEqual(match, { found: false, searched_to: 0, facts: undefined });
    }
  }
});

testOnEachEngine(
  "R23 a query of several words finds the place where most occur together, as search shows it",
  async ({ store }) => {
    await createOwner(store);
    const together = "the silver key opens the iron gate";
    for (const [what, text] of [
      ["short", `a key alone. ${"filler ".repeat(120)}${together} and a gate`],
      ["long", `a key alone. ${"filler ".repeat(2_000)}${together} and a gate`],
    ] as const) {
      await ingest(store, [message("a", { body: text })]);
      const q = "key gate iron";
      const { hits } = await store.search(scopeOver(), { query: requireQuery(q), limit: 5 });
      const shown = hits[0]?.proofs[0]?.matches[0];
      const match = await find(store, "body", q);
      assert.deepEqual(
        match.found && { start_chars: match.start_chars, end_chars: match.end_chars },
        shown,
        what,
      );
      assert.equal(shown?.start_chars, text.indexOf("key opens"), what);
    }
  },
);

function find(store: Store, path: string, q: string, from?: number) {
  return store.findInField(scopeOver(), refOf("a"), path, requireQuery(q), from);
}

testOnEachEngine(
  "R23 R63 a window is cut around a near spelling where the field has none of the words",
  async ({ store }) => {
    await createOwner(store);
    const long = `${"filler words here, ".repeat(700)}You will receive it. ${"and so on; ".repeat(700)}`;
    const text = "You will receive the part.";
    await ingest(store, [
      message("a", { body: long, parts: [{ text: "other" }, { text }], payload: { text: long } }),
    ]);
    const found = async (path: string, q: string) => {
      const match = await find(store, path, q, 0);
      return (
        match.found && (path.startsWith("parts") ? text : long).slice(match.start_chars, match.end_chars)
      );
    };
    for (const path of PATHS) {
      assert.equal(await found(path, "recieve"), "receive", path);
      assert.equal(await found(path, "recieve filler will"), path.startsWith("parts") ? "will" : "filler");
      assert.equal(await found(path, '"recieve"'), false, "a phrase is taken as it is written");
      assert.equal(await found(path, "+recieve"), false, "so is what is required");
      assert.equal(await found(path, "party"), false, "a common word is not a misspelling");
    }
  },
);
