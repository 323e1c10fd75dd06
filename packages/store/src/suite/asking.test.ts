/** The query language, inflected forms and near spellings, from the caller's view (R60–R63). */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

async function ask(store: Store, q: string, scope = scopeOver()) {
  const page = await store.search(scope, { query: requireQuery(q), limit: 10 });
  // Hits by meaning alone have a separate suite.
  const hits = page.hits.filter(({ matched_clauses }) => matched_clauses.length > 0);
  return { ...page, hits, ids: hits.map(({ record_id }) => record_id) };
}

testOnEachEngine("R60 bare words rank, operators and phrases filter, OR takes either", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("board", { body: "The board meeting was long." }),
    message("team", { body: "Our team meeting, then lunch." }),
    message("lunch", { body: "Lunch at noon." }),
  ]);
  assert.deepEqual((await ask(store, "meeting lunch")).ids[0], "team");
  assert.deepEqual(
    new Set((await ask(store, "meeting lunch zzzz")).ids),
    new Set(["team", "lunch", "board"]),
  );
  assert.deepEqual((await ask(store, "meeting -board")).ids, ["team"]);
  assert.deepEqual((await ask(store, "+meeting +lunch")).ids, ["team"]);
  assert.deepEqual((await ask(store, '"board meeting" lunch')).ids, ["board"]);
  assert.deepEqual(new Set((await ask(store, "noon OR board")).ids), new Set(["lunch", "board"]));
  assert.deepEqual(new Set((await ask(store, "lun*")).ids), new Set(["team", "lunch"]));
});

testOnEachEngine(
  "R61 an answer says what it found of each word, and each hit which it has",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { body: "red kettle" }), message("b", { body: "red teapot" })]);
    const { hits, count, count_all, words } = await ask(store, "red kettle");
    assert.deepEqual([count, count_all], [2, 1]);
    assert.deepEqual(
      words.map(({ text, count: records }) => [text, records]),
      [
        ["red", 2],
        ["kettle", 1],
      ],
    );
    assert.deepEqual(
      hits.map(({ record_id, matched_clauses }) => [record_id, matched_clauses]),
      [
        ["a", [0, 1]],
        ["b", [0]],
      ],
    );
    assert.deepEqual((await ask(store, "red qqqq")).words[1], { text: "qqqq", need: "wanted", count: 0 });
  },
);

testOnEachEngine(
  "R62 inflected forms match, the exact form ranks first, and is marked as written",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("form", { body: "We went diving near the reef." }),
      message("exact", { body: "One dive near the reef, then." }),
      message("other", { body: "A divan near the window, then." }),
    ]);
    const { ids, hits } = await ask(store, "dive");
    assert.deepEqual(ids, ["exact", "form"]);
    const [proof] = hits[1]?.proofs ?? [];
    const [match] = proof?.matches ?? [];
    assert.equal(proof?.text.slice(match?.start_chars, match?.end_chars), "diving");
    assert.deepEqual((await ask(store, '"dive"')).ids, ["exact"]);
  },
);

testOnEachEngine("R62 forms of another language match if the scope has text in it", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { body: "Zwei Zeitungen" }), message("b", { body: "Kein Wort davon" })]);
  assert.deepEqual((await ask(store, "Zeitung")).ids, []);
  const german = message("c", { body: "Das ist nicht neu, und das bleibt so.", note: "hidden" });
  await ingest(store, [german]);
  assert.deepEqual((await ask(store, "Zeitung")).ids, ["a"]);
  const narrow = scopeOver("messages", { record_ids: ["a", "b"] });
  assert.deepEqual((await ask(store, "Zeitung", narrow)).ids, [], "text out of scope switches nothing on");
});

testOnEachEngine(
  "R63 a word that no record in scope has widens to near spellings in scope",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { body: "You will receive the parcel." }),
      message("b", { body: "They recite poems." }),
    ]);
    const { ids, words } = await ask(store, "recieve");
    assert.deepEqual([ids, words[0]?.widened], [["a"], ["receive"]]);
    const narrow = scopeOver("messages", { record_ids: ["b"], fields: ["id", "body"] });
    assert.deepEqual((await ask(store, "recieve", narrow)).words[0]?.widened, undefined);
  },
);

testOnEachEngine("R62 irregular forms match as regular ones do, below the exact form", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("form", { body: "She met them near the reef." }),
    message("exact", { body: "They meet near the reef, too." }),
    message("other", { body: "The metal near the reef, too." }),
  ]);
  assert.deepEqual((await ask(store, "meet")).ids, ["exact", "form"]);
  assert.deepEqual((await ask(store, "met")).ids, ["form", "exact"]);
  assert.deepEqual((await ask(store, '"meet" reef')).ids, ["exact"], "a phrase is taken as it is written");
  const hit = (await ask(store, "meets")).hits.find(({ record_id }) => record_id === "form");
  const [proof] = hit?.proofs ?? [];
  const [match] = proof?.matches ?? [];
  assert.equal(proof?.text.slice(match?.start_chars, match?.end_chars), "met");
});

testOnEachEngine(
  "R60 a word that English is full of does not outrank what is asked about, however rare it is in scope",
  async ({ store }) => {
    await createOwner(store);
    const fillers = Array.from({ length: 30 }, (_, at) =>
      message(`f${at}`, { body: `Ordinary words ${at}.` }),
    );
    await ingest(store, [
      ...fillers,
      message("where", { body: "Where?" }),
      ...["a", "b", "c"].map((key) => message(key, { body: `We camped at the lake with friends, ${key}.` })),
    ]);
    const { ids } = await ask(store, "where camped");
    assert.deepEqual(ids.slice(0, 3).toSorted(), ["a", "b", "c"]);
    assert.equal(ids[3], "where");
  },
);

testOnEachEngine(
  "R60 a record with all the words ranks above one whose neighbours lend some of them",
  async ({ store }) => {
    await createOwner(store);
    const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`;
    await ingest(store, [
      message("lent", { body: "kiln kiln", label: "t", sent_at: at(1) }),
      message("lender", { body: "glaze glaze", label: "t", sent_at: at(2) }),
      message("whole", { body: `${"plain words of a long message ".repeat(12)} kiln and glaze` }),
    ]);
    assert.equal((await ask(store, "kiln glaze")).ids[0], "whole");
  },
);

/** Messages that make some words common and others rare. */
async function ingestTalk(store: Store) {
  await createOwner(store);
  const fillers = Array.from({ length: 30 }, (_, at) =>
    message(`f${at}`, { from: { name: "Ann" }, body: `What do you think of it, number ${at}?` }),
  );
  await ingest(store, [
    ...fillers,
    message("short", { from: { name: "Tim" }, body: "Thanks! They liked my idea of it." }),
    message("writing", { from: { name: "Tim" }, body: "What I do: writing." }),
    message("long", { from: { name: "Tim" }, body: `It. ${"A long story. ".repeat(100)}` }),
    message("titled", { from: { name: "Ann" }, subject: "Writing", body: "See you at eight." }),
    message("titled-long", { from: { name: "Ann" }, subject: "Writing", body: "A long story. ".repeat(100) }),
  ]);
}

testOnEachEngine(
  "R10 a hit found by its author, its title or a word that decides nothing shows its body",
  async ({ store }) => {
    await ingestTalk(store);
    const { hits } = await ask(store, "What kind of writing does Tim do?", scopeOver());
    const shown = (id: string) =>
      hits
        .find(({ record_id }) => record_id === id)
        ?.proofs.map(({ field_path, provenance, text }) => [field_path, provenance, text.slice(0, 20)]);
    const context = (text: string) => ["body", "context", text];
    assert.deepEqual(shown("short"), [
      ["from.name", "lexical_match", "Tim"],
      context("Thanks! They liked m"),
    ]);
    assert.deepEqual(
      shown("long")?.at(-1),
      context("It. A long story. A "),
      "nothing but the name is proven",
    );
    assert.deepEqual(shown("titled"), [
      ["subject", "lexical_match", "Writing"],
      context("See you at eight."),
    ]);
    assert.deepEqual(shown("titled-long"), [["subject", "lexical_match", "Writing"]]);
  },
);

testOnEachEngine(
  "R11 R61 evidence marks the words that decide; light words are reported, not missed",
  async ({ store }) => {
    await ingestTalk(store);
    const { hits, words, count_all } = await ask(store, "What is writing to his kiln?");
    const proof = hits
      .find(({ record_id }) => record_id === "writing")
      ?.proofs.find(({ field_path }) => field_path === "body");
    assert.deepEqual(
      proof?.matches.map(({ start_chars, end_chars }) => proof.text.slice(start_chars, end_chars)),
      ["writing"],
    );
    assert.deepEqual(
      words.filter(({ light }) => light).map(({ text }) => text),
      ["What", "is", "to", "his"],
    );
    assert.deepEqual(words.at(-1), { text: "kiln", need: "wanted", count: 0 });
    assert.equal(count_all, 0);
    assert.equal((await ask(store, "What is writing to you?")).count_all, 3);
    assert.equal(
      (await ask(store, "What do")).words.some(({ light }) => light),
      false,
      "relative to the heaviest",
    );
  },
);

testOnEachEngine("R63 a common English word is not treated as a misspelling", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { body: "The best part of the lamp." })]);
  const { ids, words } = await ask(store, "party lamp");
  assert.deepEqual([ids, words[0]], [["a"], { text: "party", need: "wanted", count: 0 }]);
  assert.deepEqual((await ask(store, "lmap")).words[0]?.widened, ["lamp"]);
});
