/** Probes of the authorization test about many records at once: lists, exports, counts. */
import assert from "node:assert/strict";
import { aggregateAll, listAll } from "../../testing/store/oracle-lists.ts";
import type { AuthorizationWorld, Json } from "./authorization.ts";

/** The pages of a list, joined by their cursors; nothing has changed since. */
export async function pages(world: AuthorizationWorld): Promise<void> {
  const { connection_id, stream } = world.random.pick(world.scope.streams);
  const path = `/v1/streams/${stream}/records`;
  const asked = { connection_id, limit: world.random.pick([7, 30, 100]), order: "desc" };
  const ids: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { status, body } = await world.ask(path, { ...asked, ...(cursor ? { cursor } : {}) });
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(...body.data.map(({ id }: Json) => id));
    cursor = body.next_cursor;
    if (body.has_more) continue;
    const since = await world.ask(path, { connection_id, changes_since: body.next_changes_since });
    assert.deepEqual(since.body.data, [], JSON.stringify(since.body));
    break;
  }
  const expected = listAll(world.oracle, world.scope, { connection_id, stream, order: "desc", limit: 1 });
  assert.deepEqual(
    ids,
    expected.map(({ ref }) => ref.record_id),
  );
}

export async function exported(world: AuthorizationWorld): Promise<void> {
  const { connection_id, stream } = world.random.pick(world.scope.streams);
  const lines = await world.askLines(`/v1/export?stream=${stream}&connection_id=${connection_id}`);
  const covered = world.oracle.coverOne(world.scope, { connection_id, stream });
  const shown = new Map(lines.slice(0, -1).map((line) => [line.id, line.data]));
  assert.deepEqual([...shown.keys()].sort(), covered?.records.map(({ ref }) => ref.record_id).sort());
  assert.equal(lines.at(-1).record_count, shown.size, JSON.stringify(lines.at(-1)));
  for (const held of covered?.records ?? []) {
    const granted = Object.entries(held.data).filter(([name]) => covered?.granted.has(name));
    assert.deepEqual(shown.get(held.ref.record_id), Object.fromEntries(granted));
  }
}

/** Groups by a field count only what the grant shows, by the values that it shows. */
export async function groups(world: AuthorizationWorld): Promise<void> {
  const { connection_id, stream } = world.random.pick(world.scope.streams);
  const covered = world.oracle.coverOne(world.scope, { connection_id, stream });
  const fields = covered?.shape.fields.filter(
    ({ name, aggregatable }) => aggregatable && covered.granted.has(name),
  );
  if (!fields || fields.length === 0) return;
  const group_by = world.random.pick(fields).name;
  const request = { connection_id, stream, metric: "count" as const, group_by, limit: 100 };
  const { status, body } = await world.ask(`/v1/streams/${stream}/aggregate`, {
    connection_id,
    metric: "count",
    group_by,
    limit: 100,
  });
  assert.equal(status, 200, JSON.stringify(body));
  const expected = aggregateAll(world.oracle, world.scope, request).groups;
  const counts = (all: Json[]) => all.map(({ record_count }) => record_count).sort((a, b) => a - b);
  assert.deepEqual(counts(body.groups), counts([...expected]));
}

export async function count(world: AuthorizationWorld): Promise<void> {
  const { connection_id, stream } = world.random.pick(world.scope.streams);
  const { body } = await world.ask(`/v1/streams/${stream}/aggregate`, { connection_id, metric: "count" });
  const covered = world.oracle.coverOne(world.scope, { connection_id, stream });
  assert.equal(body.groups[0].value, covered?.records.length);
}

export async function streams(world: AuthorizationWorld): Promise<void> {
  const { body } = await world.ask("/v1/streams", {});
  const counts = world.oracle.describeStreams(world.scope);
  const total = counts.reduce((sum, each) => sum + each.record_count, 0);
  assert.equal(
    body.data.reduce((sum: number, { record_count }: Json) => sum + record_count, 0),
    total,
  );
}
