/** The same call over REST, MCP and the command line has the same answer, field by field (R44). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { engines } from "../../testing/engines.ts";
import { askRefused, ask as askTool } from "../../testing/mcp/answers.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import type { Json } from "../../testing/world.ts";
import { cases, long, read, refusals, window } from "./parity-cases.ts";

for (const engine of Object.keys(engines)) {
  describe(engine, () => {
    let served: ServedWorld;
    let tools: McpClient;
    before(async () => {
      served = await serveWorld(engine);
      tools = await connectHttp({ url: served.url, token: served.world.client });
    });
    after(async () => {
      await tools?.close();
      await served?.close();
    });
    const ask = (argv: readonly string[], token = served.world.client) =>
      rungsHere(argv, { RUNGS_URL: served.url, RUNGS_TOKEN: token });

    test("R44 R66 answers are equal: evidence, ranges, completeness, continuations", async () => {
      await Promise.all(
        cases.map(async ({ argv, path, tool }) => {
          const ran = await ask([...argv, "--json"]);
          assert.equal(ran.code, 0, `${argv.join(" ")}: ${ran.err}`);
          const expected = withoutChance(await served.world.json(asPreview(path)));
          assert.deepEqual(withoutChance(JSON.parse(ran.out)), expected, argv.join(" "));
          const { structured } = await askTool(tools, tool);
          if (COMPACT.has(tool.operation)) assertSameRecords(structured, expected, JSON.stringify(tool));
          else assert.deepEqual(withoutChance(dataOf(structured)), expected, JSON.stringify(tool));
        }),
      );
    });

    test("R44 refusals are equal: code, message, parameter, what to do", async () => {
      await Promise.all(
        refusals.map(async ({ argv, path, tool }) => {
          const [command = "", ...words] = argv;
          const ran = await ask([command, "--json", ...words]);
          const { error } = await served.world.refusal(path);
          const expected = withoutChance(error);
          assert.equal(ran.code, 1, argv.join(" "));
          assert.deepEqual(withoutChance(JSON.parse(ran.out).error), expected, argv.join(" "));
          const refused = await askRefused(tools, tool);
          assert.deepEqual(withoutChance(refused.error), expected, JSON.stringify(tool));
        }),
      );
    });

    test("R44 a cursor of one interface works in the other", async () => {
      const first = await served.world.json(`${window}&limit_chars=100`);
      const cursor: string = first.window.next_cursor;
      const next = JSON.parse(
        (await ask(["read", "home/notes:long", "body", `--cursor=${cursor}`, "--json"])).out,
      );
      assert.equal(next.window.start_chars, first.window.end_chars);
      const { structured } = await askTool(tools, read({ ...long, cursor: next.window.next_cursor }));
      const third = dataOf(structured).window;
      assert.equal(third.start_chars, next.window.end_chars);
      const back = await served.world.json(`${window}&cursor=${third.previous_cursor}`);
      assert.deepEqual(withoutChance(back), withoutChance(next));
    });

    test("R04 R44 ambiguity names the same connections", async (t) => {
      const { token } = await served.allowBoth();
      const ran = await ask(["fetch", "notes:n1", "--json"], token);
      const { error } = await served.world.refusal("/v1/streams/notes/records/n1", token);
      const { available_connections, code } = JSON.parse(ran.out).error;
      assert.deepEqual([code, available_connections], [error.code, error.available_connections]);
      const both = await connectHttp({ url: served.url, token });
      t.after(() => both.close());
      const refused = await askRefused(both, { operation: "fetch", args: { id: "notes:n1" } });
      assert.deepEqual(withoutChance(refused.error), withoutChance(error));
    });
  });
}

/** Tools that show a compact view of the server's envelope: the same records in the same order, and no additions. */
const COMPACT = new Set(["search", "query_records", "read_thread"]);
/** The members that a flat result repeats from its hit. */
const REPEATED = ["connection_id", "stream", "record_id", "author", "event_time"];

function assertSameRecords(structured: Json, expected: Json, what: string): void {
  const wanted = expected.data.map(({ handle, id }: Json) => handle ?? id);
  const shown = structured.results.map(({ id }: Json) => id);
  assert.deepEqual(shown, wanted, what);
  const proofs = (structured.results as Json[]).map(({ evidence_field_path }) => evidence_field_path);
  const proven = expected.data.map(({ evidence }: Json) => evidence?.[0]?.field_path);
  assert.deepEqual(proofs, proven, what);
  assert.equal(structured.data.meta?.count, expected.meta?.count, what);
  for (const [at, record] of expected.data.entries()) {
    const result = structured.results[at];
    for (const name of REPEATED)
      if (Object.hasOwn(result, name)) assert.deepEqual(result[name], record[name], `${what} ${name}`);
    const row = structured.data.data[at];
    if (record.evidence) assertSameEvidence(row.evidence, record.evidence, what);
    else assertSameValues(row.data, record.data, what);
  }
}

/** Shorter previews of the same proofs, in the same places. */
function assertSameEvidence(shown: Json[], proofs: Json[], what: string): void {
  assert.ok(shown.length > 0, what);
  for (const { field_path, preview, preview_start_chars, size_chars } of shown) {
    const proof = proofs.find((each) => each.field_path === field_path && each.preview.includes(preview));
    assert.ok(proof, `${what} shows another preview of ${field_path}: ${preview}`);
    if (preview_start_chars === undefined) assert.equal(preview, proof.preview, what);
    else {
      const from = preview_start_chars - proof.preview_start_chars;
      const text = Array.from(proof.preview as string).slice(from, from + Array.from(preview).length);
      assert.deepEqual([text.join(""), size_chars], [preview, proof.size_chars], what);
    }
  }
}

/** The values of a record; a text that ends with `…` is the beginning of one. */
function assertSameValues(shown: Json, data: Json, what: string): void {
  for (const [name, value] of Object.entries(shown)) {
    const isCut = typeof value === "string" && value.endsWith("…");
    const text = typeof data[name] === "string" ? data[name] : JSON.stringify(data[name]);
    if (isCut) assert.ok(text.startsWith(value.slice(0, -1)), `${what} ${name}: ${value}`);
    else assert.deepEqual(value, data[name], `${what} ${name}`);
  }
}

/** The command line and the tools ask for previews of records. */
function asPreview(path: string): string {
  if (!/\/(?:query|thread|records\/\w+)(?:\?|$)/.test(path)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}view=preview`;
}

/** A tool's answer contains the server's; a window is the answer itself, without its `object` member. */
function dataOf(structured: Record<string, unknown>): Json {
  return structured.data ?? { object: "field_window", ...structured };
}

/** Compare only the presence of cursors. Request ids differ, and the adapter's own refusals have none. */
function withoutChance(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (key === "request_id") return undefined;
      return /cursor$|changes_since$/.test(key) && typeof each === "string" ? "…" : each;
    }),
  );
}
