import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Continuation, fieldWindowSchema, formatRecordId, parseFieldWindowUri } from "@rungs/evidence";
import { connectApp } from "../mcp-clients/connect.ts";
import { readFenced, stripFences } from "../mcp-clients/read-text.ts";
import type { McpClient } from "../mcp-clients/sdk.ts";
import { type ServedWorld, serveWorld } from "../mcp-clients/served-world.ts";
import { type Answer, ask, assertWithinBudget, callsInStructured, callsInText, keyOf } from "./answers.ts";
import { FORGED, HOSTILE, HOSTILE_KEYS, HOSTILE_TEXTS, listHostileRecords } from "./hostile-records.ts";

const HIDDEN = /[\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\u0085\ufeff\u{e0000}-\u{e007f}]/u;

describe("hostile records", () => {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { world } = served;
    const outcomes = await world.store.ingest(world.owner_id, "home", listHostileRecords());
    assert.deepEqual(
      outcomes.filter(({ status }) => status !== "added" && status !== "changed" && status !== "unchanged"),
      [],
    );
    client = await connectApp(world.app, world.client);
  });
  after(async () => {
    await client.close();
    await served.close();
  });

  const idOf = (record_id: string) => formatRecordId({ connection_id: "home", stream: "notes", record_id });

  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    const id = () => idOf(`text ${name}`);

    test(`R27 R31 a record with ${name} forges nothing and stays within budget`, async () => {
      const fetched = await ask(client, { operation: "fetch", args: { id: id() } });
      assertHonest(fetched, `fetch of ${name}`);
      const window = await ask(client, {
        operation: "read_record_field",
        args: { id: id(), field_path: "body" },
      });
      assertHonest(window, `window of ${name}`);
      const { window: read } = fieldWindowSchema.parse(window.structured);
      assert.equal(read.text, text.slice(0, read.text.length));
      assert.equal(readFenced(window.text), read.text);
    });
  }

  test("R13 R14 hostile hits stay apart, each under its own id, page after page", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const args = { query: HOSTILE, ...(cursor === undefined ? {} : { cursor }) };
      const page = await ask(client, { operation: "search", args });
      assertHonest(page, `search page after ${seen.length}`);
      const results = page.structured.results as { id: string }[];
      const blocks = page.text.split("\n\n").map((block) => block.split("\n")[0]);
      assert.deepEqual(
        blocks.slice(0, -1),
        results.map(({ id }) => id),
      );
      seen.push(...results.map(({ id }) => id));
      cursor = (page.structured.data as { next_cursor?: string }).next_cursor;
    } while (cursor !== undefined);
    const expected = [...Object.keys(HOSTILE_TEXTS).map((name) => `text ${name}`), ...HOSTILE_KEYS].map(idOf);
    assert.deepEqual(seen.toSorted(), [...new Set(expected)].toSorted());
  });

  test("R35 a list of hostile records shows each by its id, page after page", async () => {
    let args: Record<string, string | string[]> = { stream: "notes" };
    let pages = 0;
    for (;;) {
      const page = await ask(client, { operation: "query_records", args });
      assertHonest(page, `list page ${pages}`);
      for (const { id } of page.structured.results as { id: string }[])
        assert.ok(page.text.split("\n").includes(id));
      const { next } = page.structured.content_ladder as { next?: { args: typeof args } };
      pages += 1;
      if (!next) break;
      args = next.args;
    }
    assert.ok(pages > 3);
  });

  test("R03 every awkward key is read end to end by the id that the text shows", async () => {
    for (const key of HOSTILE_KEYS) {
      const { text, structured } = await ask(client, { operation: "fetch", args: { id: idOf(key) } });
      assert.equal(text.split("\n")[0], idOf(key));
      assert.equal((structured.metadata as { record_id: string }).record_id, key);
      const window = await ask(client, {
        operation: "read_record_field",
        args: { id: text.split("\n")[0]!, field_path: "body" },
      });
      assert.equal(fieldWindowSchema.parse(window.structured).window.text, `${HOSTILE} key`);
    }
  });

  const LONGEST_KEYS = {
    "512 bytes": [
      "😀".repeat(128),
      "漢".repeat(170),
      "\u200b漢".repeat(85),
      `"%'\\`.repeat(128),
      " : /".repeat(128),
    ],
    "500 characters": ["😀".repeat(500), "漢".repeat(500), "\u200b漢".repeat(250)],
  };
  for (const [size, keys] of Object.entries(LONGEST_KEYS)) {
    test(`R02 R03 keys of ${size} are shown whole and lead on`, async () => {
      const { store, owner_id } = served.world;
      const word = `longestkey${keys.length}`;
      const assertFits = (answer: Answer, what: string) =>
        size === "512 bytes" ? assertWithinBudget(answer, what) : assert.ok(answer.bytes.text <= 14_000);
      const envelopes = keys.map((key) => ({
        stream: "notes",
        key,
        emitted_at: "2026-05-01T00:00:00Z",
        data: {
          id: key,
          title: "t",
          body: `${word} ${"x ".repeat(3000)}`,
          payload: { a: "y ".repeat(4000) },
        },
      }));
      await store.ingest(owner_id, "home", envelopes);
      let call: Continuation | undefined = { operation: "search", args: { query: word } };
      let found = 0;
      while (call) {
        const page: Answer = await ask(client, call);
        const { results, content_ladder } = page.structured as {
          results: { id: string }[];
          content_ladder: { next?: Continuation };
        };
        for (const { id } of results) {
          assert.ok(page.text.split("\n").includes(id));
          const fetched = await ask(client, { operation: "fetch", args: { id } });
          assert.equal(fetched.text.split("\n")[0], id);
          assertFits(fetched, "fetch");
          assert.ok(fetched.bytes.text <= 7_000);
          const [more] = callsInText(fetched.text);
          assert.ok(more);
          assertFits(await ask(client, more), more.operation);
        }
        assertFits(page, "search");
        found += results.length;
        call = content_ladder.next;
      }
      assert.equal(found, keys.length);
    });
  }

  test("R22 five megabytes on one line are read in windows that join", async () => {
    const whole = HOSTILE_TEXTS["one long line"]!;
    let step = {
      operation: "read_record_field" as const,
      args: {
        id: idOf("text one long line"),
        field_path: "body",
        limit_chars: 16_384,
        offset_chars: whole.length - 40_000,
      } as Record<string, string | number>,
    };
    let joined = "";
    for (;;) {
      const { window } = fieldWindowSchema.parse((await ask(client, step)).structured);
      joined += window.text;
      if (!window.next_cursor) break;
      step = { ...step, args: { id: step.args.id!, field_path: "body", cursor: window.next_cursor } };
    }
    assert.equal(joined, whole.slice(-40_000));
  });
});

function assertHonest(answer: Answer, what: string): void {
  assertWithinBudget(answer, what);
  const ours = stripFences(answer.text);
  assert.doesNotMatch(ours, HIDDEN, `${what}: hidden characters on a line of ours`);
  const said = callsInText(answer.text);
  for (const call of said)
    assert.ok(!JSON.stringify(call.args.id ?? "").includes(FORGED), `${what}: ${keyOf(call)}`);
  const structured = new Set(callsInStructured(answer.structured).map(keyOf));
  for (const call of said.filter(({ operation }) => operation !== "fetch")) {
    const isWindow = "window" in answer.structured;
    assert.ok(
      isWindow || structured.has(keyOf(call)) || keyOf(call).includes("read_record_field"),
      `${what}: ${keyOf(call)}`,
    );
  }
  const uris =
    `${answer.text} ${JSON.stringify(answer.structured)}`.match(/pdpp:\/\/field-window\/[\w-]+/g) ?? [];
  assert.deepEqual(
    uris.filter((uri) => parseFieldWindowUri(uri)),
    [],
    `${what}: a field-window URI in sight`,
  );
}
