import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { identifyRecord } from "../address/record-id.ts";
import { countChars, sliceChars } from "../text/code-points.ts";
import { createEvidence } from "./evidence.ts";
import type { SearchHit, SearchPage } from "./search-hit.ts";
import { dropAuthorEvidence, shrinkHit } from "./trim-evidence.ts";

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

test("R10 drops the author's name if there is other evidence, and keeps it if there is none", () => {
  const speaker = hitOf("Tim", ["Tim"]).evidence.map((one) => ({ ...one, field_path: "speaker" }));
  const text = hitOf("a kind of diary", []);
  const pageOf = (evidence: SearchHit["evidence"]): SearchPage => ({
    object: "list",
    data: [{ ...text, author_field: "speaker", matched_fields: ["speaker", "body"], evidence }],
    has_more: false,
    meta: {
      count_accuracy: "exact",
      recall: { complete: true, ranking_scope: "all_matches", truncated: false },
    },
  });
  const [both] = dropAuthorEvidence(pageOf([...speaker, ...text.evidence])).data;
  assert.deepEqual(
    both!.evidence.map(({ field_path }) => field_path),
    ["body"],
  );
  assert.deepEqual(both!.matched_fields, ["body"]);
  const [alone] = dropAuthorEvidence(pageOf(speaker)).data;
  assert.deepEqual(
    alone!.evidence.map(({ field_path }) => field_path),
    ["speaker"],
  );
});

test("R10 R14 a shortened preview surrounds the match with the most others nearby", () => {
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
