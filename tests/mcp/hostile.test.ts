import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Continuation, fieldWindowSchema, formatRecordId, parseFieldWindowUri } from "@rungs/evidence";
import {
  type Answer,
  ask,
  assertWithinBudget,
  callsInStructured,
  callsInText,
  keyOf,
} from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import { readFenced, stripFences } from "../../testing/mcp/read-text.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
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
    await client?.close();
    await served?.close();
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

  test("R13 R14 hostile hits stay separate, each under its id, on every page", async () => {
    const seen: string[] = [];
    let args: Record<string, string> | undefined = { query: HOSTILE };
    while (args) {
      const page: Answer = await ask(client, { operation: "search", args });
      assertHonest(page, `search page after ${seen.length}`);
      const results = page.structured.results as { id: string }[];
      const blocks = page.text.split("\n\n").map((block) => block.split("\n")[0]);
      assert.deepEqual(
        blocks.slice(0, -1),
        results.map(({ id }) => id),
      );
      seen.push(...results.map(({ id }) => id));
      args = (page.structured.content_ladder as { next?: { args: typeof args } }).next?.args;
    }
    const expected = [...Object.keys(HOSTILE_TEXTS).map((name) => `text ${name}`), ...HOSTILE_KEYS].map(idOf);
    assert.deepEqual(seen.toSorted(), [...new Set(expected)].toSorted());
  });

  test("R35 a list of hostile records shows each by its id, on every page", async () => {
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

  test("R03 the id in the text reads a record with any awkward key", async () => {
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
    "500 characters": [
      "😀".repeat(500),
      "漢".repeat(500),
      "\u200b漢".repeat(250),
      `😀"`.repeat(250),
      `\u200b${'"\\'.repeat(250)}`,
      JSON.stringify(["é".repeat(250), "漢".repeat(240)]),
    ],
  };
  for (const [size, keys] of Object.entries(LONGEST_KEYS)) {
    test(`R02 R03 keys of ${size} are shown whole, lead to every field, and stay within budget`, async () => {
      const { store, owner_id } = served.world;
      const word = `longestkey${keys.length}`;
      const data = { title: "t", body: `${word} ${"x ".repeat(3000)}`, payload: { a: "y ".repeat(4000) } };
      const envelopes = keys.map((key) => ({
        stream: "notes",
        key,
        emitted_at: "2026-05-01T00:00:00Z",
        data: { id: key, ...data },
      }));
      const outcomes = await store.ingest(owner_id, "home", envelopes);
      assert.ok(outcomes.every(({ status }) => status === "added"));
      const ids = keys.map(idOf);
      const found = await listShown(
        { operation: "search", args: { query: word, folded: false } },
        longestOf(ids),
      );
      assert.deepEqual(found.toSorted(), ids.toSorted());
      const all = await listShown({ operation: "query_records", args: { stream: "notes" } }, longestOf(ids));
      assert.deepEqual(all.filter((id) => ids.includes(id)).toSorted(), ids.toSorted());
      for (const id of ids) await assertLeadsToAll(id);
    });
  }

  /** The ids of all pages from `first` on, each in the text of its page, every page within budget. */
  async function listShown(first: Continuation, longest: string): Promise<string[]> {
    const shown: string[] = [];
    let call: Continuation | undefined = first;
    while (call) {
      const page: Answer = await ask(client, call);
      assertWithinBudget(page, call.operation, longest);
      const { results, content_ladder } = page.structured as {
        results: { id: string }[];
        content_ladder: { next?: Continuation };
      };
      for (const { id } of results) assert.ok(page.text.split("\n").includes(id));
      shown.push(...results.map(({ id }) => id));
      call = content_ladder.next;
    }
    return shown;
  }

  /** Follows the calls of a fetch as its text shows them, within budget, to windows of both long fields. */
  async function assertLeadsToAll(id: string): Promise<void> {
    const waiting: Continuation[] = [{ operation: "fetch", args: { id } }];
    const asked = new Set<string>();
    const read = new Set<unknown>();
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      if (asked.has(keyOf(call)) || call.operation === "schema") continue;
      asked.add(keyOf(call));
      const answer = await ask(client, call);
      assertWithinBudget(answer, call.operation, id);
      if (call.operation === "fetch") {
        assert.equal(answer.text.split("\n")[0], id);
        assert.equal(answer.structured.id, id);
        assert.ok(answer.bytes.text <= 7_000);
      }
      if (call.operation === "read_record_field") read.add(call.args.field_path);
      else waiting.push(...callsInText(answer.text), ...sameForOthers(call, answer.text));
    }
    assert.ok(read.has("body") && read.has("payload"), `${[...read]} of ${id.slice(0, 40)}`);
  }

  test("R03 a key whose id could not be shown within budget is refused with what to do", async () => {
    const key = `\u202e${"😀".repeat(511)}`;
    const envelope = { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data: { id: key } };
    const [outcome] = await served.world.store.ingest(served.world.owner_id, "home", [envelope]);
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.code, "invalid_key");
    assert.match(outcome.message, /shorter|digest/);
  });

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
  // An id keeps the characters of its key unless they break or reorder its line.
  const { id, results = [] } = answer.structured as { id?: string; results?: { id: string }[] };
  const ids = [...results.map((each) => each.id), ...(id === undefined ? [] : [id])];
  const ours = ids.reduce((text, each) => text.replaceAll(each, ""), stripFences(answer.text));
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

/** The call for more fields if the id is too long to repeat. */
function sameForOthers({ operation, args }: Continuation, text: string): Continuation[] {
  const [, after_field] = /^more: the same fetch with after_field="(\w+)"$/m.exec(text) ?? [];
  return after_field === undefined ? [] : [{ operation, args: { ...args, after_field } }];
}

function longestOf(ids: readonly string[]): string {
  return ids.reduce((longest, id) => (id.length > longest.length ? id : longest), "");
}
