import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStream, exampleManifest, type ReadScope } from "@rungs/contract";
import { countChars, requireQuery } from "@rungs/evidence";
import type { StoredHit } from "@rungs/store";
import fc from "fast-check";
import type { Sources } from "../access/authority.ts";
import { describeHit, foldHits } from "./hits.ts";

const sources: Sources = new Map([
  [
    "home",
    {
      connection_id: "home",
      connector_key: exampleManifest.source.id,
      display_name: "Home mail",
      manifest: exampleManifest,
      shapes: new Map(exampleManifest.streams.map((stream) => [stream.name, describeStream(stream)])),
    },
  ],
]);

const query = requireQuery("lunch");
const scope: ReadScope = { owner_id: "me", streams: [] };
const context = { sources, scope, query, mode: undefined };

function hitWith(data: Record<string, unknown>, proofs: StoredHit["proofs"] = []): StoredHit {
  const position = { tier: 0 as const, score: 1, time_ms: null, tie: 0, id: "home/messages:m1" };
  const place = { connection_id: "home", stream: "messages", record_id: "m1" };
  return {
    ...place,
    emitted_at: "",
    data,
    cuts: [],
    score: 1,
    matched_fields: ["body"],
    matched_clauses: [0],
    proofs,
    is_similar: false,
    position,
  };
}

test("R12 a hit without a proven match shows no text, and still identifies its record", () => {
  const shown = describeHit(hitWith({ id: "m1", body: "the whole body", anything: "else" }), context);
  assert.deepEqual(shown.evidence, []);
  assert.equal(shown.id, "home/messages:m1");
  assert.doesNotMatch(JSON.stringify(shown), /the whole body|else/);
});

test("R36 title and time come only from declared roles", () => {
  const { title, event_time } = describeHit(
    hitWith({ id: "m1", subject: "Lunch", sent_at: "2026-01-01T00:00:00Z" }),
    context,
  );
  assert.deepEqual([title, event_time], ["Lunch", "2026-01-01T00:00:00Z"]);
  const bare = describeHit(hitWith({ id: "m1", title: "not declared", date: "2026" }), context);
  assert.deepEqual([bare.title, bare.event_time], [null, null]);
});

const LEASE =
  "The lease of the harbour office ends in March, and the landlord wants an answer about the two rooms upstairs.";

/** A hit whose body has its first match at `word`. */
function hit(record_id: string, body: string, word = "landlord"): StoredHit {
  const start_chars = countChars(body.slice(0, body.indexOf(word)));
  const matches = body.includes(word) ? [{ start_chars, end_chars: start_chars + countChars(word) }] : [];
  const proof = {
    field_path: "body",
    size_chars: countChars(body),
    digest: "",
    text: body,
    text_start_chars: 0,
  };
  return {
    connection_id: "home",
    stream: "notes",
    record_id,
    emitted_at: "",
    data: {},
    cuts: [],
    score: 1,
    matched_fields: ["body"],
    matched_clauses: [0],
    proofs: [{ ...proof, provenance: "lexical_match", matches }],
    is_similar: false,
    position: { tier: 0, score: 1, time_ms: null, tie: 0, id: record_id },
  };
}

function fold(hits: readonly StoredHit[], limit = 10): string[][] {
  const { folded } = foldHits(hits, limit, ({ proofs }) => proofs[0]);
  return folded.map((head) => [head.hit, ...head.similar].map(({ record_id }) => record_id));
}

/** As a mail program quotes it: marked, and wrapped anew. */
function quote(text: string, depth: number, width: number): string {
  const lines = text.match(new RegExp(`.{1,${width}}(?: |$)`, "gu")) ?? [];
  return lines.map((line) => `${">".repeat(depth)} ${line.trim()}`).join("\n");
}

test("R67 a quoted passage folds under the first hit that shows it, whatever surrounds the quote", () => {
  const hits = [
    hit("first", LEASE),
    hit("reply", `Fine with me.\n\nOn Monday Ada wrote:\n${quote(LEASE, 1, 60)}\n\nAda`),
    hit("again", `No objection at all!\n\n${quote(LEASE, 2, 40)}\n> Fine with me.\n`),
    hit("other", "The landlord of the boat house called about the broken window and the missing keys again."),
    hit("loud", LEASE.toUpperCase(), "LANDLORD"),
  ];
  assert.deepEqual(fold(hits), [["first", "reply", "again", "loud"], ["other"]]);
});

test("R67 short texts, other texts and other matches do not fold", () => {
  assert.deepEqual(fold([hit("a", "the landlord"), hit("b", "the landlord")]), [["a"], ["b"]]);
  assert.deepEqual(fold([hit("a", LEASE), hit("b", `${LEASE} Also in May.`)]), [["a"], ["b"]]);
  assert.deepEqual(fold([hit("a", LEASE), hit("b", LEASE.replace("March", "April"))]), [["a"], ["b"]]);
  const far = `${"x".repeat(130)} ${LEASE} ${"y".repeat(130)}`;
  assert.deepEqual(fold([hit("a", `Dear Ada, ${far}`), hit("b", `Dear Bob, ${far}`)]), [["a", "b"]]);
});

test("R67 every consumed hit is shown or folded exactly once, in order, and the next page continues after it", () => {
  const texts = fc.constantFrom(LEASE, `${LEASE} P.S.: the keys.`, "landlord", "");
  const pages = fc.record({
    bodies: fc.array(texts, { maxLength: 30 }),
    limit: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(pages, ({ bodies, limit }) => {
      const hits = bodies.map((body, at) => hit(String(at), body));
      const seen: string[] = [];
      for (let from = 0; from < hits.length; ) {
        const { folded, consumed } = foldHits(hits.slice(from), limit, ({ proofs }) => proofs[0]);
        assert.ok(consumed > 0 && folded.length <= limit);
        assert.ok(folded.length === limit || from + consumed === hits.length);
        const shown = folded.flatMap((head) =>
          [head.hit, ...head.similar].map(({ record_id }) => Number(record_id)),
        );
        assert.deepEqual(
          shown.toSorted((a, b) => a - b),
          Array.from({ length: consumed }, (_, at) => from + at),
        );
        for (const { hit: head, similar, span } of folded) {
          const numbers = [head, ...similar].map(({ record_id }) => Number(record_id));
          assert.deepEqual(
            numbers,
            numbers.toSorted((a, b) => a - b),
          );
          assert.ok(from + span > (numbers.at(-1) as number));
          assert.equal(new Set(numbers.map((number) => bodies[number])).size, 1);
        }
        seen.push(...shown.map(String));
        from += consumed;
      }
      assert.equal(new Set(seen).size, hits.length);
    }),
  );
});

test("R67 nothing folds without a proof to compare", () => {
  const hits = Array.from({ length: 5 }, (_, at) => hit(String(at), LEASE));
  const { folded, consumed } = foldHits(hits, 3, () => undefined);
  assert.deepEqual([folded.length, consumed], [3, 3]);
});
