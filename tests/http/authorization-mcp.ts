/** The probes of the authorization test over `/mcp`: tool calls under a random grant. */
import assert from "node:assert/strict";
import { formatRecordId, formatRecordUri, identifyRecord } from "@rungs/evidence";
import { textOf } from "../../testing/store/compare.ts";
import { listAll } from "../../testing/store/oracle-lists.ts";
import { searchAll } from "../../testing/store/oracle-search.ts";
import { readThread } from "../../testing/store/oracle-threads.ts";
import { CONNECTIONS, randomQuery, STREAMS } from "../../testing/store/random-questions.ts";
import type { AuthorizationWorld, Json } from "./authorization.ts";

/** The kinds of probes under the current grant. */
export function toolQuestions(world: AuthorizationWorld): readonly (() => Promise<void>)[] {
  return [search, fetch, window, thread, list, count, schema].map((ask) => () => ask(world));
}

async function search(world: AuthorizationWorld): Promise<void> {
  const { q, query } = randomQuery(world.random, world.oracle, world.owner_id);
  const { hits, count } = await searchAll(world.oracle, world.scope, query, { window: 100 }, "relevance");
  const expected = hits.map(({ held }) => identifyRecord(held.ref).id);
  const { code, structured } = await world.askTool("search", { query: q, limit: 10 });
  assert.equal(code, undefined, q);
  const ids = structured.results.map(({ id }: Json) => id);
  assert.deepEqual(ids, expected.slice(0, ids.length), q);
  assert.equal(ids.length === 0, expected.length === 0, q);
  if (structured.data) assert.equal(structured.data.meta.count, count, q);
}

async function fetch(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const { code, structured } = await world.askTool("fetch", { id: anyId(world, held.ref) });
  if (!world.limitsOf(held)) {
    const nowhere = await world.askTool("fetch", {
      id: formatRecordId({ ...held.ref, record_id: "never-was" }),
    });
    assert.ok(code !== undefined, "a record outside the grant was answered");
    return assert.equal(code, nowhere.code);
  }
  assert.equal(code, undefined);
  const granted = world.grantedOf(held);
  const shown = Object.keys(structured.data?.data ?? {});
  assert.deepEqual(
    shown.filter((name) => !granted.has(name)),
    [],
  );
}

async function window(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const field_path = world.random.pick(Object.keys(held.data));
  const { code, structured } = await world.askTool("read_record_field", {
    id: anyId(world, held.ref),
    field_path,
    limit_chars: 16,
  });
  if (!world.grantedOf(held).has(field_path))
    return assert.ok(code !== undefined, `${field_path} was answered`);
  if (code === undefined) assert.ok(textOf(held.data[field_path]).startsWith(structured.window.text));
}

async function thread(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const reach = { before: world.random.int(0, 4), after: world.random.int(0, 4) };
  const { code, structured } = await world.askTool("read_thread", { id: anyId(world, held.ref), ...reach });
  if (!world.limitsOf(held)) return assert.ok(code !== undefined, "a record outside the grant was answered");
  assert.equal(code, undefined);
  const wanted = readThread(world.oracle, world.scope, held.ref, reach);
  const around = [...(wanted?.before ?? []), held, ...(wanted?.after ?? [])];
  const expected = around.map(({ ref }) => identifyRecord(ref).id);
  // An answer that would be too large holds the nearest ones.
  const ids: string[] = structured.results.map(({ id }: Json) => id);
  const first = expected.indexOf(ids[0] ?? "");
  assert.ok(ids.includes(identifyRecord(held.ref).id));
  assert.deepEqual(ids, expected.slice(first, first + ids.length));
}

async function list(world: AuthorizationWorld): Promise<void> {
  const [connection_id, stream] = [world.random.pick(CONNECTIONS), world.random.pick(STREAMS)];
  const asked = { connection_id, stream, order: "asc", limit: 10 } as const;
  const { code, structured } = await world.askTool("query_records", asked);
  if (!world.oracle.coverOne(world.scope, asked)) return assert.equal(code, "grant_stream_not_allowed");
  assert.equal(code, undefined);
  const expected = listAll(world.oracle, world.scope, asked).map(({ ref }) => identifyRecord(ref).id);
  const ids = structured.results.map(({ id }: Json) => id);
  assert.deepEqual(ids, expected.slice(0, ids.length));
}

async function count(world: AuthorizationWorld): Promise<void> {
  const { connection_id, stream } = world.random.pick(world.scope.streams);
  const { structured } = await world.askTool("aggregate", { connection_id, stream, metric: "count" });
  const covered = world.oracle.coverOne(world.scope, { connection_id, stream });
  assert.equal(structured.data.groups[0].value, covered?.records.length);
}

async function schema(world: AuthorizationWorld): Promise<void> {
  const { structured } = await world.askTool("schema", {});
  const streams: Json[] = structured.results ?? structured.data.streams;
  const found = streams.map((each) => `${each.connection_id}/${each.stream} ${each.record_count}`);
  const counts = world.oracle.describeStreams(world.scope);
  const expected = counts.map((each) => `${each.connection_id}/${each.stream} ${each.record_count}`);
  assert.deepEqual(found.sort(), expected.sort());
}

function anyId(world: AuthorizationWorld, ref: Parameters<typeof formatRecordId>[0]): string {
  return world.random.chance(0.5) ? formatRecordId(ref) : formatRecordUri(ref);
}
