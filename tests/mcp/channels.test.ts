/** The two halves of every answer agree, and everything they offer works. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RecordEnvelope } from "@rungs/contract";
import { type Continuation, fieldWindowSchema } from "@rungs/evidence";
import fc from "fast-check";
import { anyChar } from "../../testing/any-char.ts";
import {
  type Answer,
  ask,
  assertWithinBudget,
  callsInStructured,
  callsInText,
  keyOf,
} from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import { readFenced } from "../../testing/mcp/read-text.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

const WORD = "propertyword";
const BYTES = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7919) % 251)).toString("base64");
const MOST_CALLS = 400;

const textArbitrary = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: anyChar, maxLength: 200 }),
  fc.lorem({ maxCount: 900, mode: "words" }),
);
const recordArbitrary = fc.record({
  key: fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .filter((key) => !/\p{Cc}|\p{Cs}/u.test(key)),
  title: textArbitrary,
  body: textArbitrary.map((text) => `${text} ${WORD} ${text}`),
  payload: fc.dictionary(
    fc.string({ maxLength: 20 }).filter((name) => name !== "__proto__"),
    textArbitrary,
    { maxKeys: 4 },
  ),
});

describe("channels", () => {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { world } = served;
    const inner = { key: "inner", title: "Bytes within", body: WORD, payload: { name: "a", bytes: BYTES } };
    await world.store.ingest(world.owner_id, "home", [toEnvelope(inner)]);
    await world.store.ingest(
      world.owner_id,
      "home",
      fc.sample(recordArbitrary, { numRuns: 80, seed: 7 }).map(toEnvelope),
    );
    client = await connectApp(world.app, (await served.allowBoth()).token);
  });
  after(async () => {
    await client?.close();
    await served?.close();
  });

  test("R43 content and structuredContent carry the same facts, and every offered call does what it says", async () => {
    const asked = new Set<string>();
    const waiting: Continuation[] = [
      { operation: "search", args: { query: WORD } },
      { operation: "query_records", args: { stream: "notes", connection_id: "home" } },
      { operation: "schema", args: {} },
      {
        operation: "aggregate",
        args: { stream: "notes", connection_id: "home", metric: "count", group_by: "title" },
      },
      ...["picture", "json", "long", "raw", "inner"].map(
        (key): Continuation => ({ operation: "fetch", args: { id: `home/notes:${key}` } }),
      ),
    ];
    for (let call = waiting.shift(); call && asked.size < MOST_CALLS; call = waiting.shift()) {
      if (asked.has(keyOf(call))) continue;
      asked.add(keyOf(call));
      const answer = await ask(client, call);
      const what = keyOf(call).slice(0, 200);
      assertWithinBudget(answer, what);
      assertDoes(call, answer);
      assertSameFacts(call, answer, what);
      const offered = [...callsInText(answer.text), ...callsInStructured(answer.structured)];
      // A few from each answer, so that every kind of answer is covered.
      waiting.push(...(call.operation === "read_record_field" ? offered.slice(0, 1) : offered));
      // Hits and rows share one example of the call that opens a record, which takes any of their ids.
      if (call.operation === "search" || call.operation === "query_records")
        waiting.push(...listOpened(answer));
    }
    assert.ok(asked.size >= 150, `${asked.size} calls`);
  });
});

function toEnvelope({
  key,
  ...data
}: {
  key: string;
  title: string;
  body: string;
  payload: object;
}): RecordEnvelope {
  return { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data: { id: key, ...data } };
}

function listOpened({ structured }: Answer): Continuation[] {
  const { results } = structured as { results: { id: string }[] };
  return results.map(({ id }) => ({ operation: "fetch", args: { id } }));
}

/** The answer is the one that the call promises. */
function assertDoes({ operation, args }: Continuation, { structured }: Answer): void {
  switch (operation) {
    case "fetch":
      assert.equal(structured.id, args.id);
      return;
    case "read_record_field": {
      const { record, field, window } = fieldWindowSchema.parse(structured);
      assert.deepEqual([record.id, field.path], [args.id, args.field_path]);
      if (args.offset_chars !== undefined) assert.equal(window.start_chars, args.offset_chars);
      return;
    }
    case "read_blob":
      assert.equal((structured.blob as { blob_id: string }).blob_id, args.blob_id);
      return;
    default:
      return;
  }
}

function assertSameFacts({ operation }: Continuation, answer: Answer, what: string): void {
  const { text, structured } = answer;
  const lines = text.split("\n");
  if (operation === "fetch") assert.equal(structured.text, text, what);
  if (operation === "read_record_field") assertSameWindow(answer);
  const said = new Set(callsInText(text).map(keyOf));
  const structuredCalls = callsInStructured(structured);
  const written = new Set(structuredCalls.map(keyOf));
  if (operation === "search" || operation === "query_records") {
    for (const { id } of structured.results as { id: string }[])
      assert.ok(lines.includes(id), `${what}: ${id}`);
    for (const call of callsInText(text).filter((one) => !isRowRead(operation, one)))
      assert.ok(written.has(keyOf(call)), `${what}: ${keyOf(call)} is only in the text`);
    const pages = structuredCalls.filter((call) => call.operation === operation);
    for (const page of pages) assert.ok(said.has(keyOf(page)), `${what}: the next page is only structured`);
  }
  if (operation === "search") {
    for (const { evidence_field_path, evidence_preview } of structured.results as Record<string, string>[]) {
      const line = lines.find(
        (each) =>
          each.startsWith(`  ${evidence_field_path}`) &&
          stripMarks(each).includes(stripMarks(evidence_preview ?? "")),
      );
      assert.ok(line, `${what}: ${evidence_field_path} ${evidence_preview}`);
    }
  }
}

/** A row of the text may cut a field that the structured half shows whole, or cut it elsewhere. */
function isRowRead(operation: string, call: Continuation): boolean {
  return operation === "query_records" && ["read_record_field", "fetch"].includes(call.operation);
}

/** Each half shows as much of a passage as fits: without marks, the shorter is a substring of the longer. */
function stripMarks(line: string): string {
  return line.replaceAll(/[⟦⟧…]/gu, "");
}

function assertSameWindow({ text, structured }: Answer): void {
  const { record, field, window } = fieldWindowSchema.parse(structured);
  const {
    text: body,
    start_chars,
    end_chars,
    complete,
    next_cursor = null,
    previous_cursor = null,
    match = null,
  } = window;
  assert.deepEqual(JSON.parse(text.split("\n", 1)[0] ?? ""), {
    id: record.id,
    field_path: field.path,
    start_chars,
    end_chars,
    size_chars: field.size_chars,
    complete,
    next_cursor,
    previous_cursor,
    match,
  });
  assert.equal(readFenced(text), body);
  const cursors = callsInText(text).map(({ args }) => args.cursor);
  assert.deepEqual(
    cursors,
    [previous_cursor, next_cursor].filter((cursor) => cursor !== null),
  );
}
