import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchMeta, SearchWord } from "@rungs/evidence";
import fc from "fast-check";
import { call, hitOf, options, pageOf } from "../../../../testing/search-pages.ts";
import { parseToolCall } from "../../../../testing/tool-call.ts";
import { offerPeriod } from "../query/find-period.ts";
import { renderSearch } from "./search.ts";
import { adviseSearch } from "./search-coverage.ts";

const refAt = (record_id: string) => ({ connection_id: "acct-1", stream: "messages", record_id });
const callOn = (line: string | undefined) => parseToolCall((line ?? "").replace(/^.*?: (?=[a-z_]+\()/, ""));

test("R17 the text says how certain the count is and what was not searched", () => {
  const recall: SearchMeta["recall"] = {
    complete: false,
    ranking_scope: "candidate_window",
    truncated: true,
    not_searched: ["photos"],
  };
  const page = pageOf([hitOf(refAt("a"), undefined)], {
    meta: { count: 90, count_accuracy: "lower_bound", recall },
  });
  const text = renderSearch(page, call, options);
  assert.match(
    text,
    /1 of at least 90 matching records, only some of them ranked; some matches may be missing\./,
  );
  assert.match(text, /Not searched: photos\./);
  assert.match(
    renderSearch(pageOf([]), call, options),
    /^0 of 0 matching records, all ranked\.\nNothing matches\. Use other words .*\nWhat is granted: schema\(\)$/,
  );
});

test("R61 R63 names missing and widened words, and says what to do next", () => {
  const textOf = (count: number, ...words: SearchWord[]) =>
    renderSearch(
      pageOf(count === 0 ? [] : [hitOf(refAt("a"), "a needle")], {
        meta: { ...pageOf([]).meta, count, words },
      }),
      call,
      options,
    );
  const absent = { word: "recieve", need: "wanted", count: 0 } as const;
  assert.match(
    textOf(1, absent),
    /^No record has recieve\. If the hits do not answer, ask with other words for it\.$/m,
  );
  assert.match(
    textOf(1, { ...absent, widened_to: ["receive"] }),
    /^No record has recieve; searched receive\. If that is not what was meant, ask with other words\.$/m,
  );
  assert.match(
    textOf(0, { ...absent, need: "required" }),
    /^Nothing matches\. No record has recieve\. Leave out or change what no record has: recieve\.\nWhat is granted: schema\(\)$/m,
  );
  assert.doesNotMatch(textOf(1, { ...absent, need: "excluded" }), /No record has/);
});

test("R61 R63 an empty or widened answer says what to do next, whatever was asked, in the advice and in the text", () => {
  const words = fc.array(
    fc.record({
      word: fc.constantFrom("recieve", "who", "the kiln", "wor*", "京都", "2026"),
      need: fc.constantFrom("wanted" as const, "required" as const, "excluded" as const),
      count: fc.constantFrom(0, 0, 3),
      light: fc.constantFrom(undefined, true as const),
      widened_to: fc.constantFrom(undefined, ["receive"]),
    }),
    { maxLength: 4 },
  );
  const asked = fc.record({
    mode: fc.constantFrom(undefined, "semantic", "lexical"),
    since: fc.constantFrom(undefined, "2026-01-01"),
    query: fc.constantFrom("recieve the kiln", "who did it in May 2026"),
  });
  fc.assert(
    fc.property(
      words,
      asked,
      fc.boolean(),
      fc.boolean(),
      (found, { mode, since, query }, isEmpty, isSimilar) => {
        const listed = found.map(({ light, widened_to, ...word }): SearchWord => {
          const widens = widened_to && word.count === 0 && word.need === "wanted" && !/[0-9]/.test(word.word);
          return {
            ...word,
            ...(light && !widens && { light }),
            ...(widens && { widened_to: [...widened_to] }),
          };
        });
        const hits = isEmpty && !isSimilar ? [] : [hitOf(refAt("a"), "a needle")];
        const meta = { ...pageOf([]).meta, count: isEmpty ? 0 : 1, words: listed };
        const args = { query, ...(mode && { mode }), ...(since && { since }) };
        const search = { operation: "search" as const, args };
        const advice = adviseSearch(meta, hits.length, search);
        const isWidened = mode !== "semantic" && listed.some(({ widened_to }) => widened_to);
        if (hits.length === 0 || isWidened)
          assert.match(advice ?? "", /\b(?:Use|Ask|ask|Search|Leave out)\b/);
        const text = renderSearch(pageOf(hits, { meta }), search, options);
        assert.ok(advice === undefined || text.includes(advice), text);
      },
    ),
  );
});

test("R61 an absent function word is not reported missing beside others, whatever its case", () => {
  const absent = (word: string, need: SearchWord["need"] = "wanted"): SearchWord => ({
    word,
    need,
    count: 0,
  });
  const listMissed = (...words: SearchWord[]) => {
    const meta = { ...pageOf([]).meta, count: 1, words };
    const text = renderSearch(pageOf([hitOf(refAt("a"), "a needle")], { meta }), call, options);
    return /^No record has (.*?)\. If/m.exec(text)?.[1];
  };
  const lamp = { word: "lamp", need: "wanted", count: 2 } as const;
  assert.equal(listMissed(absent("Who"), absent("does"), lamp, absent("should"), absent("I")), undefined);
  assert.equal(listMissed(absent("where"), absent("party"), absent("my")), "party");
  assert.equal(listMissed(lamp, absent("wem"), absent("gehört")), "wem, gehört", "words of other languages");
  assert.equal(listMissed(absent("who"), absent("does")), "who, does", "nothing else was asked about");
  assert.equal(listMissed(lamp, absent("who", "required")), "who");
  assert.equal(listMissed(lamp, { ...absent("theirs"), widened_to: ["theory"] }), "theirs; searched theory");
});

test("R61 a light word is not reported missing, and the count covers records that have the others", () => {
  const textOf = (count_with_all_words: number, ...words: SearchWord[]) =>
    renderSearch(
      pageOf([hitOf(refAt("a"), "a needle")], {
        meta: { ...pageOf([]).meta, count: 9, count_with_all_words, words },
      }),
      call,
      options,
    );
  const wanted = (word: string, count: number, light?: true): SearchWord => ({
    word,
    need: "wanted",
    count,
    ...(light && { light }),
  });
  const question = [
    wanted("what", 7, true),
    wanted("kind", 4),
    wanted("writing", 3),
    wanted("does", 0, true),
  ];
  assert.match(
    textOf(2, ...question),
    /^1 of 9 matching records, all ranked; 2 have all of kind, writing\.$/m,
  );
  assert.doesNotMatch(textOf(2, ...question), /No record has/);
  assert.match(textOf(0, ...question.slice(1, 3)), /; none has all the words\.$/m);
  assert.match(textOf(7, ...question.slice(0, 2)), /records, all ranked\.$/m, "one word decides");
  const missed = textOf(0, ...question, wanted("pottery", 0));
  assert.match(missed, /records, all ranked\.\nNo record has pottery\./m);
});

test("R68 a question that names a time gets the call within it, in the text and for the ladder", () => {
  const asked = { operation: "search", args: { query: "What did Ann say in May 2023?" } } as const;
  const words: SearchWord[] = [
    { word: "Ann", need: "wanted", count: 3 },
    { word: "2023", need: "wanted", count: 0 },
  ];
  const at = (event_time: string) => pageOf([hitOf(refAt("a"), "a needle", { event_time })]);
  const page = { ...at("2023-06-02T10:00:00Z"), meta: { ...pageOf([]).meta, count: 1, words } };
  const text = renderSearch(page, asked, options);
  const narrowed = { ...asked, args: { ...asked.args, since: "2023-05-01", until: "2023-06-01" } };
  assert.deepEqual(callOn(text.split("\n").find((line) => line.startsWith("only May 2023: "))), narrowed);
  assert.deepEqual(offerPeriod(page, asked)?.call, narrowed);
  assert.doesNotMatch(text, /No record has 2023/);
  for (const [shown, from] of [
    [page, narrowed],
    [at("2023-05-31T10:00:00Z"), asked],
    [pageOf([hitOf(refAt("a"), "a needle")]), asked],
  ] as const)
    assert.equal(offerPeriod(shown, from), undefined);
});

test("R17 names granted fields that are not searched only if a word is missing", () => {
  const recall = { ...pageOf([]).meta.recall, fields_not_searched: ["home/notes: remarks"] };
  const textOf = (count: number) =>
    renderSearch(
      pageOf([hitOf(refAt("a"), "a needle")], {
        meta: {
          count: 1,
          count_accuracy: "exact",
          recall,
          words: [{ word: "platypus", need: "wanted", count }],
        },
      }),
      call,
      options,
    );
  assert.match(textOf(0), /No record has platypus\. Fields that are not searched: home\/notes: remarks\. /);
  assert.doesNotMatch(textOf(3), /not searched/);
});

test("R61 R68 a word is reported absent within the narrowed search, with the arguments to drop", () => {
  const words: SearchWord[] = [{ word: "heron", need: "wanted", count: 0 }];
  const meta = { ...pageOf([]).meta, words };
  const narrowed = { ...call, args: { ...call.args, since: "2026-01-01", until: "2026-02-01" } };
  const text = renderSearch(pageOf([], { meta }), narrowed, options);
  assert.match(text, /No record within since and until has heron\. Search without since and until\./);
  assert.match(renderSearch(pageOf([], { meta }), call, options), /No record has heron\. Use other words/);
});
