/**
 * Nothing issued under one grant works under another: cursors of every kind, windows, positions in the changes, blobs.
 * The grants are random; `RUNGS_GRANT_PAIRS` sets how many pairs each engine tries.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { StreamRequest } from "@rungs/contract";
import { formatRecordUri } from "@rungs/evidence";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { Random } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";
import { GRANTED_FIELDS, type Json, OUTSIDE, onEveryEngine, type World } from "../../testing/world.ts";

const PAIRS = readSize("RUNGS_GRANT_PAIRS");
const notes = "/v1/streams/notes/records";
const FIELDS = [...GRANTED_FIELDS, "secret"];

interface Given {
  readonly token: string;
  readonly stream: StreamRequest;
}

onEveryEngine((world) => {
  before(() => addMcp(world().app, world().store, { now: () => world().clock.now }));

  test("R24 R51 a cursor of one grant is foreign to every other, even to one that allows the same", async () => {
    const random = new Random(5);
    let tried = 0;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const [mine, other] = await givePair(world(), random);
      const cursors = await gatherCursors(world(), mine);
      for (const [path, parameter, cursor] of cursors) {
        const url = `${path}${path.includes("?") ? "&" : "?"}${parameter}=${encodeURIComponent(cursor)}`;
        assert.equal((await world().ask(url, mine.token)).status, 200, url);
        await assertForeign(world(), url, other);
        tried += 1;
      }
    }
    assert.ok(tried > PAIRS, `${tried} cursors`);
  });

  test("R08 a handle from one grant shows under another only what the other allows", async () => {
    const random = new Random(6);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const [mine, other] = await givePair(world(), random);
      const page = await world().json(`${notes}?limit=100`, mine.token);
      for (const { id, connection_id } of page.data.slice(0, 3)) {
        const handle = formatRecordUri({ connection_id, stream: "notes", record_id: id });
        const answer = await world().ask(`${notes}/${encodeURIComponent(handle)}`, other.token);
        const body = (await answer.json()) as Json;
        const own = (await listIds(world(), other)).has(`${connection_id} ${id}`);
        assert.equal(answer.status === 200, own, `${handle} ${JSON.stringify(other.stream)}`);
        const shown = Object.keys(body.data ?? {});
        assert.deepEqual(
          shown.filter((name) => !other.stream.fields?.includes(name)),
          [],
        );
      }
    }
  });

  test("R33 a blob is read only where the grant covers a record and the field that refers to it", async () => {
    const random = new Random(7);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const { token, stream } = await give(world(), random);
      const { status } = await world().ask(`/v1/blobs/${world().blob.blob_id}`, token);
      const holds = (await listIds(world(), { token, stream })).has("home picture");
      assert.equal(status, holds && stream.fields?.includes("picture") ? 200 : 404);
    }
  });

  test("R51 an export of one grant has no text that only another grant allows", async () => {
    const random = new Random(8);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const { token, stream } = await give(world(), random);
      const lines = await (await world().ask("/v1/export", token)).text();
      const mayHave = stream.fields?.includes("secret") || stream.instance_ids?.includes("work");
      if (!mayHave) assert.ok(!lines.includes(OUTSIDE));
      const ids = lines
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Json);
      const own = await listIds(world(), { token, stream });
      for (const { object, connection_id, id, data } of ids) {
        if (object !== "record") continue;
        assert.ok(own.has(`${connection_id} ${id}`), `${connection_id} ${id}`);
        assert.deepEqual(
          Object.keys(data).filter((name) => !stream.fields?.includes(name)),
          [],
        );
      }
    }
  });

  test("R53 a token with one changed character is invalid", async () => {
    const random = new Random(9);
    const { token } = await give(world(), random);
    for (let at = 0; at < token.length; at += 1) {
      const letter = random.pick(["A", "b", "0", "_"].filter((each) => each !== token[at]));
      const changed = token.slice(0, at) + letter + token.slice(at + 1);
      assert.equal((await world().ask("/v1/schema", changed)).status, 401);
    }
  });
});

async function give(world: World, random: Random): Promise<Given> {
  const fields = FIELDS.filter((name) => name === "id" || random.chance(0.6));
  const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString();
  const [since, until] = [random.below(15), 16 + random.below(80)].map(day) as [string, string];
  const stream: StreamRequest = {
    name: "notes",
    instance_ids: [random.pick(["home", "work"])],
    fields,
    ...(random.chance(0.4) ? { time_range: { since, until } } : {}),
    ...(random.chance(0.3) ? { resources: ["n1", "n20", "long", "picture", "n5", "n6"] } : {}),
  };
  return { token: (await world.allow([stream])).token, stream };
}

/** Two grants, sometimes for exactly the same scope. */
async function givePair(world: World, random: Random): Promise<[Given, Given]> {
  const mine = await give(world, random);
  if (!random.chance(0.3)) return [mine, await give(world, random)];
  return [mine, { stream: mine.stream, token: (await world.allow([mine.stream])).token }];
}

/** Cursors of every kind under the grant: the address to continue with, the parameter, and the cursor. */
async function gatherCursors(world: World, { token, stream }: Given) {
  const found: [path: string, parameter: string, cursor: string][] = [];
  const gather = (path: string, parameter: string, cursor: unknown) => {
    if (typeof cursor === "string") found.push([path, parameter, cursor]);
  };
  const list = `${notes}?limit=2`;
  const page = await world.json(list, token);
  gather(list, "cursor", page.next_cursor);
  const all = await world.json(`${notes}?limit=100`, token);
  gather(notes, "changes_since", all.next_changes_since);
  const search = "/v1/search?q=note&limit=1";
  gather(search, "cursor", (await world.json(search, token)).next_cursor);
  const query = "/v1/streams/notes/query?limit=1";
  gather(query, "cursor", (await world.json(query, token)).next_cursor);
  const isLong = all.data.some(({ id }: Json) => id === "long") && stream.instance_ids?.includes("home");
  if (isLong && stream.fields?.includes("body")) {
    const window = `${notes}/long/field-window?field_path=body`;
    gather(window, "cursor", (await world.json(`${window}&limit_chars=10`, token)).window.next_cursor);
  }
  return found;
}

/** Refused over REST and, where a tool takes it, over MCP. */
async function assertForeign(world: World, url: string, other: Given): Promise<void> {
  const answer = await world.ask(url, other.token);
  const { error } = (await answer.json()) as Json;
  assert.ok(answer.status >= 400, `${url} was answered under another grant`);
  const expected = ["cursor_foreign", "field_not_granted", "not_found", "invalid_cursor"];
  assert.ok(expected.includes(error.code), error.code);
  const cursor = new URL(url, "http://localhost").searchParams.get("cursor");
  if (cursor === null || !url.startsWith("/v1/search")) return;
  const call = { name: "search", arguments: { query: "note", limit: 1, cursor } };
  const text = await (
    await world.ask("/mcp", other.token, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
    })
  ).text();
  assert.match(text, /"code":"(?:cursor_foreign|invalid_cursor)"/);
}

async function listIds(world: World, { token }: Given): Promise<ReadonlySet<string>> {
  const page = await world.json(`${notes}?limit=100`, token);
  return new Set(page.data.map(({ connection_id, id }: Json) => `${connection_id} ${id}`));
}
