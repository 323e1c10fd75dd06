import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { identifyRecord } from "../address/record-id.ts";
import { countChars, sliceChars } from "../text/code-points.ts";
import { createEvidence } from "./evidence.ts";
import type { SearchHit, SearchPage } from "./search-hit.ts";
import { createSnippet } from "./snippet.ts";
import { keepTelling, shrinkHit } from "./telling.ts";

const ref = { connection_id: "home", stream: "notes", record_id: "a" };

function hitOf(text: string, words: readonly string[]): SearchHit {
  const matches = words.flatMap((word) =>
    [...text.matchAll(new RegExp(word, "gu"))].map(({ index }) => {
      const start_chars = countChars(text.slice(0, index));
      return { start_chars, end_chars: start_chars + countChars(word) };
    }),
  );
  const proof = {
    field_path: "body",
    size_chars: countChars(text),
    digest: "",
    text,
    text_start_chars: 0,
    matches,
  };
  const evidence = [createEvidence(ref, proof, { preview_chars: 500 })];
  return { object: "search_result", ...identifyRecord(ref), matched_fields: ["body"], evidence };
}

function tellingLine(text: string, counts: Readonly<Record<string, number>>, total = 100): string {
  const words = Object.entries(counts).map(([word, count]) => ({ word, need: "wanted" as const, count }));
  const recall = { complete: true, ranking_scope: "all_matches", truncated: false } as const;
  const page: SearchPage = {
    object: "list",
    data: [hitOf(text, Object.keys(counts))],
    has_more: false,
    meta: { count: total, count_accuracy: "exact", recall, words },
  };
  return createSnippet(keepTelling(page).data[0]!.evidence[0]!).line;
}

test("R10 a word that many of the records have is marked only where no rarer one is", () => {
  const counts = { the: 90, to: 70, key: 3 };
  assert.equal(tellingLine("the key to the door", counts), "the ⟦key⟧ to the door");
  assert.equal(tellingLine("to the door", counts), "⟦to the⟧ door");
  assert.equal(tellingLine("tea", { tea: 100 }), "⟦tea⟧");
  assert.equal(tellingLine("a support group", { support: 62, group: 16 }, 69), "a ⟦support group⟧");
  assert.equal(tellingLine("keys for the door", { the: 90, keys: 0 }), "⟦keys⟧ for the door");
});

test("R10 R14 a shorter preview is around the match that has most others near it", () => {
  const text = `needle ${"hay ".repeat(40)}needle and needle ${"hay ".repeat(40)}`;
  const [evidence] = shrinkHit(hitOf(text, ["needle"]), 40).evidence;
  assert.match(evidence!.preview, /needle and needle/);
  assert.ok(evidence!.truncated);
});

test("R14 a whole field stays whole where cutting it would save nothing", () => {
  const hit = hitOf(`${"hay ".repeat(30)}needle`, ["needle"]);
  assert.equal(shrinkHit(hit, 40, 100).evidence[0]!.truncated, false);
  assert.equal(shrinkHit(hit, 40, 80).evidence[0]!.truncated, true);
});

test("R11 R14 any shortened preview is the text at its range, has a match and is no longer than asked", () => {
  fc.assert(
    fc.property(anyText, anyText, fc.integer({ min: 8, max: 600 }), (before, after, chars) => {
      const text = `${before}needle${after}`;
      const {
        preview,
        preview_start_chars: start,
        preview_end_chars: end,
        truncated,
      } = shrinkHit(hitOf(text, ["needle"]), chars).evidence[0]!;
      assert.equal(preview, sliceChars(text, start, end));
      assert.ok(countChars(preview) <= chars && preview.includes("needle"));
      assert.equal(truncated, preview !== text);
    }),
  );
});
