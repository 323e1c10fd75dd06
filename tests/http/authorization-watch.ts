/** Probes of the authorization test about watched streams, over REST and by listening MCP hosts. */
import assert from "node:assert/strict";
import { CONNECTIONS, STREAMS } from "../../testing/store/random-questions.ts";
import type { AuthorizationWorld, Json } from "./authorization.ts";

/** The kinds of probes under the current grant. */
export function watchQuestions(world: AuthorizationWorld): readonly (() => Promise<void>)[] {
  return [watch, listen].map((ask) => () => ask(world));
}

/**
 * A write triggers a watch if the list of changes has it, and never if the grant shows the record neither before nor
 * after.
 */
async function watch(world: AuthorizationWorld): Promise<void> {
  const connection_id = world.random.pick(CONNECTIONS);
  const stream = world.random.pick(STREAMS);
  const path = `/v1/watch/${stream}`;
  const isCovered = world.scope.streams.some(
    (one) => one.connection_id === connection_id && one.stream === stream,
  );
  if (!isCovered) {
    const [refused, nowhere] = [
      await world.ask(path, { connection_id }),
      await world.ask("/v1/watch/never_was", { connection_id }),
    ];
    return assert.deepEqual(
      [refused.status, refused.body.error.code],
      [nowhere.status, nowhere.body.error.code],
    );
  }
  const [{ next_changes_since: changes_since }] = await world.askWatch(path, { connection_id });
  const { ref, before, after } = await world.write(
    connection_id,
    world.random.chance(0.8) ? stream : world.random.pick(STREAMS),
  );
  const lines = await world.askWatch(path, { connection_id, changes_since });
  const list = `/v1/streams/${stream}/records`;
  const { status, body } = await world.ask(list, { connection_id, changes_since, limit: 100 });
  // A parent that enters or leaves the grant takes its children with it.
  if (body.error?.code === "cursor_expired") return;
  assert.equal(status, 200, JSON.stringify(body));
  const ids: string[] = body.data.map(({ id }: Json) => id);
  assert.equal(lines.length > 1, ids.length > 0, JSON.stringify(lines));
  const isHere = ref.connection_id === connection_id && ref.stream === stream;
  if (!isHere || !(before || after)) return assert.deepEqual(ids, [], `${JSON.stringify(ref)} is hidden`);
  if (ids.length > 0) assert.deepEqual(ids, [ref.record_id]);
}

/** A host that names streams inside and outside the grant listens only to those inside. */
async function listen(world: AuthorizationWorld): Promise<void> {
  if (world.hasBudget) return;
  const all = [...CONNECTIONS, "never_was"].flatMap((connection_id) =>
    [...STREAMS, "never_was"].map((stream) => ({ connection_id, stream })),
  );
  const named = world.random.times(4, () => world.random.pick(all));
  const toUri = ({ connection_id, stream }: (typeof all)[number]) =>
    `pdpp://stream/${connection_id}/${stream}`;
  const expected = named.filter((each) =>
    world.scope.streams.some(
      ({ connection_id, stream }) => connection_id === each.connection_id && stream === each.stream,
    ),
  );
  const taken = await world.listen([...new Set(named.map(toUri))]);
  assert.deepEqual(taken.sort(), [...new Set(expected.map(toUri))].sort());
}
