/** Search results, and the proof of each match in the stored text. */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { assertProof, placesIn, search } from "../../../../testing/store/matching.ts";
import { createOwner, ingest, message, refOf, removal, scopeOver } from "../../../../testing/store/world.ts";
import { assertRefused } from "./refusals.ts";

const LATIN =
  "The café on Hauptstraße: don't write to anna.müller@example.com, RÉSUMÉ attached — naïve ﬁnance; I’m 42% sure. ";
const CJK = "東京都に住んでいます。北京烤鸭很好吃。서울에서 만나요 ガギグ ｶﾞ ";
const OTHER = "ภาษาไทยง่าย Ελληνικός κόσμος Привет мир שלום 🎉🚀 👩‍🚀 🇫🇷 Ⅷ x² __init__ ";

/** Queries with the number of the three records that match. */
const QUERIES: Readonly<Record<string, number>> = {
  cafe: 3,
  CAFÉ: 3,
  hauptstrasse: 3,
  HAUPTSTRASSE: 3,
  "don't": 3,
  '"dont"': 0,
  "anna.muller@example.com": 3,
  "example.com": 3,
  '"com.example"': 0,
  resume: 3,
  naive: 3,
  finance: 3,
  "i'm": 3,
  42: 3,
  "haupt*": 3,
  haup: 0,
  '"the cafe on"': 3,
  '"cafe the"': 0,
  '"write to anna"': 3,
  '"resume att*"': 3,
  東京: 3,
  京: 3,
  京都: 3,
  東京都に: 3,
  '"都京"': 0,
  烤鸭: 3,
  好: 3,
  서울에서: 3,
  "서울*": 3,
  ガギ: 3,
  ｶﾞ: 3,
  '"か"': 0,
  ไทย: 3,
  ελληνικος: 3,
  ΚΟΣΜΟΣ: 3,
  "привет МИР": 3,
  שלום: 3,
  "🚀": 3,
  "🎉🚀": 3,
  '"🚀🎉"': 0,
  "🇫🇷": 3,
  viii: 3,
  x2: 3,
  __init__: 3,
  "cafe 東京 🚀": 3,
  "cafe +missing": 0,
  "cafe missing": 3,
  missing: 0,
};

testOnEachEngine(
  "R10 R11 words, phrases, prefixes, accents, CJK, emoji and addresses are found and proven",
  async ({ store }) => {
    await createOwner(store);
    const text = LATIN + CJK + OTHER;
    const filler = "nothing to see here, ".repeat(300);
    const bodies = { short: text, long: filler + text + filler, edge: "x".repeat(4_090) + text.repeat(40) };
    await ingest(
      store,
      Object.entries(bodies).map(([id, body]) => message(id, { body })),
    );
    for (const [q, count] of Object.entries(QUERIES)) {
      const page = await search(store, scopeOver(), q);
      assert.equal(page.count, count, q);
      assert.equal(page.hits.length, count, q);
      for (const hit of page.hits) {
        assert.deepEqual(hit.matched_fields, ["body"], q);
        assert.equal(hit.proofs.length, 1, `${q} in ${hit.record_id}`);
        for (const proof of hit.proofs) assertProof(proof, bodies[hit.record_id as keyof typeof bodies], q);
      }
    }
  },
);

testOnEachEngine("R10 every pair of neighbouring characters of dense scripts is found", async ({ store }) => {
  await createOwner(store);
  const text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。𠮷野家";
  await ingest(store, [message("a", { body: text }), message("b", { body: "別の話" })]);
  const chars = Array.from(text);
  for (const [at, char] of chars.entries()) {
    const pair = char + (chars[at + 1] ?? "");
    if (pair.includes("。")) continue;
    const page = await search(store, scopeOver(), pair);
    const wanted = placesIn(text, pair);
    assert.deepEqual(page.hits[0]?.proofs[0]?.matches, wanted, pair);
    assert.ok(
      wanted.some(({ start_chars }) => start_chars === at),
      pair,
    );
  }
});

testOnEachEngine(
  "R10 Khmer, Burmese, Thai and Lao are found with their own punctuation around them",
  async ({ store }) => {
    await createOwner(store);
    const texts = [
      "ខ្ញុំស្រលាញ់ភាសាខ្មែរ។ ល្អណាស់៕",
      "မင်္ဂလာပါ။ နေကောင်းလား၊",
      "๏ ภาษาไทย ๚๛",
      "ພາສາລາວ ຯ",
      "⺀⺁ 漢字 ⺀",
    ];
    await ingest(
      store,
      texts.map((text, at) =>
        message(`t${at}`, {
          subject: text,
          body: text,
          parts: [{ text }],
          note: "end",
          sent_at: "2026-01-01T00:00:00Z",
        }),
      ),
    );
    await ingest(store, [message("t9", { subject: "plain", note: "end", sent_at: "2026-01-02T00:00:00Z" })]);
    for (const [q, id] of [
      ["ភាសាខ្មែរ", "t0"],
      ["မင်္ဂလာ", "t1"],
      ["ไทย", "t2"],
      ["ລາວ", "t3"],
      ["漢字", "t4"],
      ["plain", "t9"],
    ] as const) {
      const page = await search(store, scopeOver(), q);
      assert.deepEqual(
        page.hits.map(({ record_id }) => record_id),
        [id],
        q,
      );
    }
    const all = await search(store, scopeOver("messages", { time: { since_ms: 0 } }), "end");
    assert.deepEqual(all.hits[0]?.record_id, "t9");
    assert.equal(all.count, 6);
    assert.equal(new Set(all.hits.map(({ score }) => score)).size, 1);
  },
);

testOnEachEngine(
  "R17 punctuation of a dense script in one field does not change the score of another",
  async ({ store }) => {
    await createOwner(store);
    const marks = ["။", "។", "๏", "⺀", "x"];
    const records = Array.from({ length: 3_000 }, (_, at) => {
      const text = marks[at % marks.length] as string;
      return message(`m${at}`, {
        from: { name: "same name" },
        subject: "same subject",
        body: text,
        parts: [{ text }],
        note: text,
      });
    });
    await ingest(store, records.slice(0, 2_000));
    await ingest(store, records.slice(2_000));
    for (const q of ["subject", "name"]) {
      const { hits, count } = await search(store, scopeOver(), q, 3_000);
      assert.equal(count, 3_000);
      // The best records are ranked by more than their words, such as their authors' names.
      const scores = Map.groupBy(hits, ({ position }) => position.tier);
      for (const [tier, some] of scores)
        assert.equal(new Set(some.map(({ score }) => score)).size, 1, `${q}, tier ${tier}`);
    }
    await ingest(
      store,
      records.slice(0, 1_500).map((record) => removal("messages", record.key)),
    );
    await store.tidy("me");
    for (const q of ["subject", "name", "x"]) {
      const { hits, count } = await search(store, scopeOver(), q, 3_000);
      assert.equal(count, q === "x" ? 300 : 1_500);
      // The best records are ranked by more than their words, such as their authors' names.
      const scores = Map.groupBy(hits, ({ position }) => position.tier);
      for (const [tier, some] of scores)
        assert.equal(new Set(some.map(({ score }) => score)).size, 1, `${q}, tier ${tier}`);
    }
  },
);

testOnEachEngine("a query of punctuation alone has no word to look for", async ({ store }) => {
  await createOwner(store);
  for (const q of ["", "  ", "...", "—", "*", '""', "។", "။", "๏", "⺀", "၊ ။"]) {
    await assertRefused(() => search(store, scopeOver(), q), "invalid_query");
  }
});

testOnEachEngine(
  "R11 a proof has the digest of the field, and its offsets read the match",
  async ({ store }) => {
    await createOwner(store);
    const body = `😀 ${"padding é ".repeat(900)} Zürich 😀 `;
    await ingest(store, [message("a", { subject: "zurich!", body })]);
    const { hits } = await search(store, scopeOver(), "zurich");
    const hit = hits[0];
    assert.deepEqual(hit?.matched_fields, ["subject", "body"]);
    for (const proof of hit?.proofs ?? []) {
      const facts = await store.describeField(scopeOver(), refOf("a"), proof.field_path);
      assert.equal(proof.digest, facts?.digest);
      const [match] = proof.matches;
      const slice = await store.readField(scopeOver(), refOf("a"), proof.field_path, {
        start: match?.start_chars ?? 0,
        end: match?.end_chars ?? 0,
      });
      assert.match(slice?.text ?? "", /^z[uü]rich$/i);
    }
    assert.equal(hit?.proofs.length, 2);
  },
);

testOnEachEngine(
  "R10 the best place of several words is shown first, with the others after it",
  async ({ store }) => {
    await createOwner(store);
    const body = `apple alone. ${"filler ".repeat(3_000)} an apple and a pear ${"filler ".repeat(3_000)} pear alone`;
    await ingest(store, [
      message("a", { body }),
      message("b", { body: `apple. ${"x ".repeat(400)} apple pear` }),
    ]);
    for (const hit of (await search(store, scopeOver(), "apple pear")).hits) {
      const [proof] = hit.proofs;
      assert.ok(proof);
      const first = proof.matches[0]?.start_chars ?? 0;
      const text = hit.record_id === "a" ? body : (hit.data.body as string);
      assert.match(
        Array.from(text)
          .slice(first, first + 20)
          .join(""),
        /^apple (and a )?pear/,
      );
      assert.ok(proof.matches.length >= 3);
      assertProof(proof, text, requireQuery("apple pear"));
    }
  },
);
