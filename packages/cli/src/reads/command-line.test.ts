import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { renderSearch } from "@rungs/contract";
import {
  type Continuation,
  createEvidence,
  identifyRecord,
  type SearchHit,
  type SearchPage,
} from "@rungs/evidence";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { formatCommandLine } from "./command-line.ts";

/** How a shell parses our lines; one process for all of them. */
function splitByShell(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `show ${line}`).join("\n");
  const show = `show() { printf '%s\\0' "$@"; printf '\\1\\0'; }`;
  const output = execFileSync("bash", ["--norc", "-c", `${show}\n${script}`], {
    env: { LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  return output
    .split("\u0001\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

test("R18 R44 each operation is the command of the interface", () => {
  const cases: [Continuation, string][] = [
    [
      {
        operation: "read_record_field",
        args: { id: "acct-1/messages:a b", field_path: "body", offset_chars: 4096 },
      },
      "rungs read 'acct-1/messages:a b' body --offset 4096",
    ],
    [
      {
        operation: "read_record_field",
        args: { id: "a/b:c", field_path: "body", q: "tea", before_chars: 1, after_chars: 2, limit_chars: 3 },
      },
      "rungs read a/b:c body --q tea --before 1 --after 2 --limit 3",
    ],
    [
      { operation: "fetch", args: { id: "a/b:c", fields: ["x", "y"], connection_id: "a" } },
      "rungs fetch a/b:c --fields x,y --connection a",
    ],
    [
      { operation: "search", args: { query: "it's tea", stream: "messages", limit: 5 } },
      "rungs search 'it'\\''s tea' --stream messages --limit 5",
    ],
    [
      { operation: "query_records", args: { stream: "messages", filter: ["a=1", "b>2"], order: "asc" } },
      "rungs query messages --filter 'a=1' --filter 'b>2' --order asc",
    ],
    [
      { operation: "aggregate", args: { stream: "messages", metric: "count", group_by: "from" } },
      "rungs aggregate messages --metric count --group-by from",
    ],
    [
      { operation: "search", args: { query: "tea", since: "2026-05-01", filter: ["a=1"], folded: false } },
      "rungs search tea --since 2026-05-01 --filter 'a=1' --folded false",
    ],
    [{ operation: "schema", args: {} }, "rungs schema"],
    [
      { operation: "read_blob", args: { blob_id: "b1", offset_bytes: 100, limit_bytes: 50 } },
      "rungs blob b1 --range 100-149",
    ],
    [{ operation: "read_blob", args: { blob_id: "b1", offset_bytes: 100 } }, "rungs blob b1 --range 100-"],
    [{ operation: "fetch", args: { id: "-a/b:c", cursor: "-x" } }, "rungs fetch --cursor=-x -- -a/b:c"],
  ];
  for (const [continuation, line] of cases) assert.equal(formatCommandLine(continuation), line);
});

test("R18 any words survive a round trip through one line, a shell and an argument parser", {
  skip: process.platform === "win32",
}, () => {
  const words = fc
    .sample(fc.tuple(anyText, anyText, anyText), 60)
    .map((three) => three.map((word) => word.replaceAll("\0", "").replaceAll("\u0001", "")));
  const lines = words.map(([id = "", field_path = "", q = ""]) =>
    formatCommandLine({ operation: "read_record_field", args: { id, field_path, q } }),
  );
  for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  const options = { q: { type: "string" } } as const;
  splitByShell(lines).forEach(([program, command, ...rest], at) => {
    assert.deepEqual([program, command], ["rungs", "read"]);
    const parsed = parseArgs({ args: rest, options, allowPositionals: true });
    assert.deepEqual([...parsed.positionals, parsed.values.q], words[at]);
  });
});

test("R18 on the command line the same text has command lines", () => {
  const ref = { connection_id: "acct-1", stream: "messages", record_id: "a b" };
  const proof = {
    field_path: "body",
    size_chars: 9000,
    digest: "d",
    text: "a needle",
    text_start_chars: 0,
    matches: [{ start_chars: 2, end_chars: 8 }],
  };
  const evidence = [createEvidence(ref, proof, { preview_chars: 480 })];
  const hit: SearchHit = { object: "search_result", ...identifyRecord(ref), matched_fields: [], evidence };
  const recall = { complete: true, ranking_scope: "all_matches", truncated: false } as const;
  const page: SearchPage = {
    object: "list",
    data: [hit],
    has_more: false,
    meta: { count: 1, count_accuracy: "exact", recall },
  };
  const call = { operation: "search", args: { query: "needle" } };
  const text = renderSearch(page, call, { write: formatCommandLine, fence: "f00", budget_bytes: 7000 });
  assert.match(text, /^ {2}read: rungs read 'acct-1\/messages:a b' body --offset 0$/m);
});
