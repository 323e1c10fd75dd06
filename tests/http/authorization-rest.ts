/** The probes of the authorization test over REST, under a random grant. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { parseTimeMs } from "@rungs/contract";
import { formatFieldPath, identifyRecord, valueAt } from "@rungs/evidence";
import { textOf } from "../../testing/store/compare.ts";
import type { Held } from "../../testing/store/oracle.ts";
import { listAll } from "../../testing/store/oracle-lists.ts";
import { searchAll } from "../../testing/store/oracle-search.ts";
import { readThread } from "../../testing/store/oracle-threads.ts";
import { randomTime } from "../../testing/store/random-data.ts";
import { CONNECTIONS, randomQuery, STREAMS } from "../../testing/store/random-questions.ts";
import type { Answer, AuthorizationWorld, Json } from "./authorization.ts";
import { count, exported, groups, pages, streams } from "./authorization-rest-sets.ts";

/** The kinds of probes under the current grant. */
export function restQuestions(world: AuthorizationWorld): readonly (() => Promise<void>)[] {
  return [
    search,
    narrowedSearch,
    fetch,
    window,
    digest,
    thread,
    list,
    pages,
    exported,
    count,
    groups,
    streams,
    ambiguous,
  ].map((ask) => () => ask(world));
}

async function search(world: AuthorizationWorld): Promise<void> {
  const { q, query } = randomQuery(world.random, world.oracle, world.owner_id);
  const { hits: expected, count } = await searchAll(
    world.oracle,
    world.scope,
    query,
    { window: 100 },
    "relevance",
  );
  const { status, body } = await world.ask("/v1/search", { q, limit: 50, folded: "false" });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.meta.count, count, q);
  const ids = expected.slice(0, 50).map(({ held }) => identifyRecord(held.ref).id);
  assert.deepEqual(
    body.data.map(({ id }: Json) => id),
    ids,
    q,
  );
  for (const hit of body.data) {
    const { held } = expected.find(({ held: each }) => identifyRecord(each.ref).id === hit.id) as {
      held: Held;
    };
    const around = readThread(world.oracle, world.scope, held.ref, { before: 0, after: 0 });
    assert.equal(hit.thread !== undefined, around?.visible, `${hit.id} in a thread`);
    for (const { field_path, preview, preview_start_chars, preview_end_chars } of hit.evidence) {
      const text = textOf(visible(world, held, field_path));
      assert.equal(preview, Array.from(text).slice(preview_start_chars, preview_end_chars).join(""));
    }
  }
}

/** A search narrowed by time equals a search under a grant with both limits, in streams whose time is granted. */
async function narrowedSearch(world: AuthorizationWorld): Promise<void> {
  const { q, query } = randomQuery(world.random, world.oracle, world.owner_id);
  const [since, until] = [randomTime(world.random), randomTime(world.random)]
    .map((time) => parseTimeMs(time) as number)
    .sort((a, b) => a - b) as [number, number];
  if (since === until) return;
  const streams = world.scope.streams
    .filter(({ stream, fields }) => fields.includes(world.oracle.shapeOf(stream).consent_time_field ?? ""))
    .map(({ time, ...limits }) => ({
      ...limits,
      time: {
        since_ms: Math.max(since, time?.since_ms ?? since),
        until_ms: Math.min(until, time?.until_ms ?? until),
      },
    }));
  const order = world.random.pick(["relevance", "newest"] as const);
  const { hits, count } = await searchAll(
    world.oracle,
    { ...world.scope, streams },
    query,
    { window: 100 },
    order,
  );
  const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  const asked = { q, limit: 50, folded: "false", order, ...times };
  const { status, body } = await world.ask("/v1/search", asked);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.meta.count, count, q);
  assert.deepEqual(
    body.data.map(({ id }: Json) => id),
    hits.slice(0, 50).map(({ held }) => identifyRecord(held.ref).id),
    q,
  );
}

async function fetch(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const { connection_id, stream, record_id } = held.ref;
  const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}`;
  const answer = await world.ask(path, { connection_id });
  if (!world.limitsOf(held)) return assertLikeNothing(world, answer, path, record_id, { connection_id });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const granted = world.grantedOf(held);
  const cut = new Set((answer.body.cuts ?? []).map(({ path: each }: Json) => each));
  for (const [name, value] of Object.entries(answer.body.data)) {
    assert.ok(granted.has(name), `${name} is not granted`);
    if (!cut.has(formatFieldPath([name]))) assert.deepEqual(value, held.data[name]);
  }
}

async function window(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const field = world.random.pick(Object.keys(held.data));
  const { connection_id, stream, record_id } = held.ref;
  const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}/field-window`;
  const asked = { connection_id, field_path: field, limit_chars: 16 };
  const answer = await world.ask(path, asked);
  if (!world.limitsOf(held)) return assertLikeNothing(world, answer, path, record_id, asked);
  if (!world.grantedOf(held).has(field)) {
    assert.equal(answer.status, 403);
    const unknown = await world.ask(path, { ...asked, field_path: "no_such_field" });
    return assertSameRefusal(answer, unknown, "no_such_field", field);
  }
  if (answer.status !== 200) return;
  const text = textOf(held.data[field]);
  assert.ok(text.startsWith(answer.body.window.text), `${field} of ${record_id}`);
}

async function thread(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const { connection_id, stream, record_id } = held.ref;
  const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}/thread`;
  const reach = { before: world.random.int(0, 4), after: world.random.int(0, 4) };
  const answer = await world.ask(path, { connection_id, ...reach });
  if (!world.limitsOf(held)) return assertLikeNothing(world, answer, path, record_id, { connection_id });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const wanted = readThread(world.oracle, world.scope, held.ref, reach);
  const around = [...(wanted?.before ?? []), held, ...(wanted?.after ?? [])];
  const { data, in_thread, has_before, has_after, anchor } = answer.body;
  assert.deepEqual(
    data.map(({ id }: Json) => id),
    around.map(({ ref }) => ref.record_id),
  );
  assert.deepEqual(
    { visible: in_thread, has_before, has_after },
    { visible: wanted?.visible, has_before: wanted?.has_before, has_after: wanted?.has_after },
  );
  assert.equal(anchor, identifyRecord(held.ref).id);
  const granted = world.grantedOf(held);
  for (const { data: shown } of data)
    assert.deepEqual(
      Object.keys(shown).filter((name) => !granted.has(name)),
      [],
    );
}

async function list(world: AuthorizationWorld): Promise<void> {
  const [connection_id, stream] = [world.random.pick(CONNECTIONS), world.random.pick(STREAMS)];
  const answer = await world.ask(`/v1/streams/${stream}/records`, {
    connection_id,
    limit: 100,
    order: "asc",
  });
  if (!world.scope.streams.some((each) => each.connection_id === connection_id && each.stream === stream)) {
    assert.equal(answer.status, 403);
    return assert.equal(answer.body.error.code, "grant_stream_not_allowed");
  }
  const expected = listAll(world.oracle, world.scope, { connection_id, stream, order: "asc", limit: 100 });
  assert.deepEqual(
    answer.body.data.map(({ id }: Json) => id),
    expected.slice(0, 100).map(({ ref }) => ref.record_id),
  );
}

/** A field's size and digest describe the text that the grant shows. */
async function digest(world: AuthorizationWorld): Promise<void> {
  const held = world.anyRecord();
  const field = world.random.pick(Object.keys(held.data));
  const value = held.data[field];
  if (!world.grantedOf(held).has(field) || typeof value !== "string") return;
  const { connection_id, stream, record_id } = held.ref;
  const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}/field-window`;
  const [offset_chars, limit_chars] = [world.random.int(0, 40), 16];
  const { status, body } = await world.ask(path, {
    connection_id,
    field_path: field,
    offset_chars,
    limit_chars,
  });
  if (status !== 200) return;
  const chars = Array.from(value);
  assert.equal(body.field.size_chars, chars.length);
  const { start_chars, end_chars, text } = body.window;
  assert.equal(text, chars.slice(start_chars, end_chars).join(""));
  const sha256 = createHash("sha256").update(value, "utf8").digest("hex");
  assert.ok(JSON.stringify(body).includes(sha256), `${field} of ${record_id}`);
}

/** An id without its connection exists in one connection, in several, or nowhere. */
async function ambiguous(world: AuthorizationWorld): Promise<void> {
  const { stream, record_id } = world.anyRecord().ref;
  const found = world.oracle.locate(world.scope, stream, record_id);
  const { status, body } = await world.ask(
    `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}`,
    {},
  );
  if (found.length === 1) assert.equal(body.connection_id, found[0]);
  else if (found.length > 1) {
    assert.equal(status, 409);
    assert.deepEqual(body.error.available_connections.map((each: Json) => each.connection_id).sort(), found);
  } else assert.ok(status === 404 || status === 403 || status === 409, String(status));
}

/** A record outside the grant gets the same answer as one that never existed. */
async function assertLikeNothing(
  world: AuthorizationWorld,
  answer: Answer,
  path: string,
  record_id: string,
  query: Readonly<Record<string, string | number>>,
): Promise<void> {
  const nowhere = path.replace(encodeURIComponent(record_id), "never-was");
  const other = await world.ask(nowhere, query);
  assert.ok(answer.status >= 400, `${path} was answered`);
  assertSameRefusal(answer, other, "never-was", record_id);
}

function visible(world: AuthorizationWorld, held: Held, field_path: string): unknown {
  const path = field_path.split(/[.[]/)[0] as string;
  assert.ok(world.grantedOf(held).has(path), `${field_path} is not granted`);
  return valueAt(
    held.data,
    field_path.match(/[^.[\]]+/g)?.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) ?? [],
  );
}

/** The same refusal except for the request id; `other` was requested as `placeholder` instead of `name`. */
function assertSameRefusal(answer: Answer, other: Answer, placeholder: string, name: string): void {
  const refusal = (body: Json) => ({ ...body.error, request_id: "" });
  const renamed = JSON.parse(JSON.stringify(refusal(other.body)), (_key, value) =>
    typeof value === "string" ? value.replaceAll(placeholder, name) : value,
  );
  assert.equal(answer.status, other.status);
  assert.deepEqual(refusal(answer.body), renamed);
}
