/** `bench ask` at a small scale: it measures search with parts of ranking switched on and off. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { measureAnswers, measureWays, type Outcome } from "../../bench/ask.ts";
import { readQuestions } from "../../bench/ask-data.ts";
import { createKnownItems } from "../../bench/ask-mail.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-ask-test-"));
after(() => rmSync(folder, { recursive: true }));

const manifest = {
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/talk" },
  declaration_version: "1",
  publisher: { id: "https://rungs.example" },
  display: { name: "Talk" },
  streams: [
    {
      name: "turns",
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "at",
      consent_time_field: "at",
      query: { search: { lexical_fields: ["text", "speaker"] } },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          speaker: { type: "string" },
          text: { type: "string", x_pdpp_role: "body" },
          at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          session: { type: "string" },
        },
      },
    },
  ],
};

const turns: readonly (readonly [session: string, speaker: string, text: string])[] = [
  ["s1", "Ada", "The kiln arrived on Monday"],
  ["s1", "Ben", "Which colour is it?"],
  ["s1", "Ada", "Green, with brass handles"],
  ["s2", "Ben", "We were diving near the reef"],
  ["s2", "Ada", "It rained all week here"],
  ["s3", "Ben", "I will receive the parcel"],
  ["s3", "Ada", "Lunch at noon"],
];

const questions = [
  { connection: "talk", question: "When does Ben dive?", evidence: ["t3"] },
  { connection: "talk", question: "Did they recieve it?", evidence: ["t5"] },
  { connection: "talk", question: "kiln brass", evidence: ["t0", "t2"] },
];

function writeQuestions(): void {
  const toLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const records = turns.map(([session, speaker, text], at) => {
    const time = new Date(Date.UTC(2026, 0, 1, 12, at)).toISOString();
    const data = { id: `t${at}`, speaker, text, at: time, session };
    return { connection: "talk", stream: "turns", key: `t${at}`, data, emitted_at: time };
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "records.jsonl"), toLines(records));
  writeFileSync(join(folder, "questions.jsonl"), toLines(questions));
}

test("R60 R62 R63 bench ask measures every search mode, and each part of ranking", async () => {
  writeQuestions();
  const data = readQuestions(folder);
  const outcomes = new Map<string, Outcome>();
  const found = new Map<string, readonly string[]>();
  await measureWays(data, async (way, answer) => {
    outcomes.set(way, await measureAnswers(data.questions, answer));
    found.set(way, await answer({ connection: "talk", question: "diving recieve", evidence: [] }));
  });
  assert.deepEqual(
    [...outcomes.keys()],
    [
      "FTS5 AND",
      "FTS5 OR",
      "FTS5 porter OR",
      "Rungs: words",
      "Rungs: + word frequency",
      "Rungs: + inflected forms",
      "Rungs: + near spellings",
      "Rungs: + the author named",
      "Rungs: + neighbours",
      "Rungs: + meaning (default)",
    ],
  );
  assert.equal(outcomes.get("FTS5 AND")?.recall10, 0);
  assert.equal(outcomes.get("FTS5 AND")?.empty, 1);
  const full = outcomes.get("Rungs: + meaning (default)");
  assert.deepEqual([full?.recall10, full?.hit10, full?.empty], [1, 1, 0]);
  assert.deepEqual(found.get("Rungs: words"), ["t3"]);
  assert.deepEqual(new Set(found.get("Rungs: + near spellings")), new Set(["t3", "t5"]));
  assert.deepEqual(new Set(found.get("Rungs: + neighbours")), new Set(["t3", "t5"]));
});

test("bench ask counts recall, hits, reciprocal ranks and empty answers", async () => {
  const answers: Readonly<Record<string, readonly string[]>> = { a: ["x", "y", "z"], b: [], c: ["q"] };
  const ask = (question: string, evidence: string[]) => ({ connection: "", question, evidence });
  const outcome = await measureAnswers(
    [ask("a", ["y", "w"]), ask("b", ["x"]), ask("c", ["q"])],
    ({ question }) => answers[question] as readonly string[],
  );
  const { timing: _, ...figures } = outcome;
  assert.deepEqual(figures, { recall5: 0.5, recall10: 0.5, hit10: 2 / 3, mrr: 0.5, empty: 1 / 3 });
});

test("bench ask makes the same known-item queries of a mailbox every time", async () => {
  const words = "anchor basket candle dragon engine falcon garden harbor island jungle kettle ladder".split(
    " ",
  );
  const mail = Array.from({ length: 24 }, (_, at) => {
    const body = Array.from({ length: 8 }, (_each, far) => words[(at * 5 + far * 7) % words.length]).join(
      " ",
    );
    return `From a@example.com Thu Jan  1 00:00:00 2026\nMessage-ID: <${at}@example.com>\nFrom: Ada <a@example.com>\nSubject: Re: notes about ${words[at % 12]} ${at}\nDate: Thu, 01 Jan 2026 00:00:${at + 10} +0000\n\n${body}\n\n`;
  });
  const file = join(folder, "mail.mbox");
  writeFileSync(file, mail.join(""));
  const once = await createKnownItems(file);
  const again = await createKnownItems(file);
  assert.deepEqual(again.kinds, once.kinds);
  assert.equal(once.data.records.length, 24);
  for (const kind of ["3 rare words", "subject", "question", "1 inflected", "1 typo"])
    assert.ok((once.kinds[kind] ?? []).length > 0, `there are queries of the kind ${kind}`);
});
