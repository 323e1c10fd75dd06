/** Golden files of the surface: a change to a schema or to the text of an answer shows in the diff. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { READ_NAMES } from "@rungs/contract";
import { assertGolden } from "../../testing/golden.ts";
import type { ServedWorld } from "../../testing/mcp/served-world.ts";
import { openConnected } from "./connected.ts";

type Args = Record<string, unknown>;

const LONG = { id: "home/notes:long", field_path: "body" };

const ANSWERS: Readonly<
  Record<string, (world: ServedWorld["world"]) => readonly [tool: string, args: Args]>
> = {
  search: () => ["search", { query: '"line 2500"' }],
  "search-page": () => ["search", { query: "tea", limit: 2 }],
  "search-nothing": () => ["search", { query: "nowheretobefound" }],
  "fetch-small": () => ["fetch", { id: "home/notes:n1" }],
  "fetch-fields": () => ["fetch", { id: "home/notes:n1", fields: ["title"] }],
  "fetch-long": () => ["fetch", { id: "home/notes:long" }],
  "fetch-json": () => ["fetch", { id: "home/notes:json" }],
  "fetch-blob": () => ["fetch", { id: "home/notes:picture" }],
  "fetch-binary": () => ["fetch", { id: "home/notes:raw" }],
  "fetch-odd-key": () => [
    "fetch",
    {
      id: "pdpp://record/eyJ2IjoxLCJraW5kIjoicmVjb3JkIiwiY29ubmVjdGlvbl9pZCI6ImhvbWUiLCJzdHJlYW0iOiJub3RlcyIsInJlY29yZF9pZCI6ImEvYiJ9",
    },
  ],
  "window-first": () => ["read_record_field", { ...LONG, limit_chars: 80 }],
  "window-middle": () => ["read_record_field", { ...LONG, offset_chars: 5000, limit_chars: 80 }],
  "window-match": () => [
    "read_record_field",
    { ...LONG, q: '"line 2500"', before_chars: 40, after_chars: 40 },
  ],
  "window-whole": () => ["read_record_field", { id: "home/notes:n1", field_path: "body" }],
  "window-nested": () => [
    "read_record_field",
    { id: "home/notes:json", field_path: "payload.parts[1].text" },
  ],
  "search-thread": () => ["search", { query: '"number 14"', connection_id: "home" }],
  thread: () => ["read_thread", { id: "home/notes:n14", before: 2, after: 1 }],
  "thread-none": () => ["read_thread", { id: "home/notes:n1" }],
  "query-page": () => [
    "query_records",
    { stream: "notes", connection_id: "home", filter: ["rating=3"], limit: 2 },
  ],
  "query-nothing": () => ["query_records", { stream: "notes", connection_id: "home", filter: ["rating=77"] }],
  aggregate: () => ["aggregate", { stream: "notes", connection_id: "home", metric: "avg", field: "rating" }],
  "aggregate-groups": () => [
    "aggregate",
    { stream: "notes", connection_id: "home", metric: "count", group_by: "rating", limit: 3 },
  ],
  schema: () => ["schema", {}],
  blob: ({ blob }) => ["read_blob", { blob_id: blob.blob_id }],
  "blob-text": ({ blob }) => ["read_blob", { blob_id: blob.blob_id, as: "text", limit_bytes: 10 }],
  "blob-base64": ({ blob }) => ["read_blob", { blob_id: blob.blob_id, as: "base64", offset_bytes: 14 }],
  "error-invalid-id": () => ["fetch", { id: "no id" }],
  "error-unknown-argument": () => ["search", { query: "tea", nearby: true }],
  "error-ambiguous": () => ["fetch", { id: "notes:n1" }],
  "error-ambiguous-stream": () => ["query_records", { stream: "notes" }],
  "error-conflict": () => ["fetch", { id: "home/notes:n1", connection_id: "work" }],
  "error-not-found": () => ["fetch", { id: "home/notes:nothing" }],
  "error-field-not-granted": () => ["read_record_field", { id: "home/notes:n1", field_path: "secret" }],
  "error-cursor": () => ["read_record_field", { ...LONG, cursor: "made-up" }],
  "error-selector": () => ["read_record_field", { ...LONG, q: "tea", offset_chars: 3 }],
  "error-match": () => ["read_record_field", { ...LONG, q: "nowheretobefound" }],
  "error-binary": () => ["read_record_field", { id: "home/notes:raw", field_path: "raw" }],
  "error-blob": () => ["read_blob", { blob_id: "nothing" }],
  "error-image": ({ blob }) => ["read_blob", { blob_id: blob.blob_id, as: "image" }],
};

describe("golden", () => {
  const on = openConnected();

  test("R20 the list entry of every tool matches its golden file", async () => {
    const { tools } = await on.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [...READ_NAMES].sort());
    for (const tool of tools)
      assertGolden(goldenUrl(`tools/${tool.name}.json`), `${JSON.stringify(tool, null, 2)}\n`);
  });

  for (const [name, question] of Object.entries(ANSWERS)) {
    test(`R02 R13 R27 the text of ${name} matches its golden file`, async () => {
      const [tool, args] = question(on.served.world);
      const { content, isError = false } = await on.client.callTool({ name: tool, arguments: args });
      assert.equal(isError, name.startsWith("error-"));
      const text = content[0]?.type === "text" ? content[0].text : "";
      assertGolden(goldenUrl(`answers/${name}.txt`), `${hideRandom(text)}\n`);
    });
  }
});

function goldenUrl(path: string): URL {
  return new URL(`golden/${path}`, import.meta.url);
}

/** Cursors are sealed and fences are random: both differ each time. */
function hideRandom(text: string): string {
  return text
    .replace(/(cursor"?[=:]")[\w-]{40,}"/g, '$1(cursor)"')
    .replace(/^(----- (?:begin|end)) [0-9a-f]{12} -----$/gm, "$1 (fence) -----");
}
