/** A server drains while others run: its open streams continue there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Cluster, startCluster } from "../../testing/cluster/servers.ts";
import { collectLines } from "../../testing/cluster/watch-lines.ts";
import { createNote } from "../../testing/library.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";
import { until } from "../../testing/until.ts";

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ limits: { watch_ms: 20 } });
});
after(() => cluster?.close());

const WATCH = "/v1/watch/notes?connection_id=home";

test("R54 watches and subscriptions of a draining server end, and continue on another", async () => {
  const [stopping, other] = cluster.servers as [(typeof cluster.servers)[0], (typeof cluster.servers)[0]];
  const { token } = await cluster.allow();
  const write = (title: string) =>
    other.parts.store.ingest(other.parts.owner_id, "home", [createNote("n1", { title })]);
  const watch = await collectLines(await cluster.ask(WATCH, token, { at: stopping.url }));
  await watch.untilLines(1);
  const client = await connectHttp({ url: stopping.url, token });
  const subscription = await client.listen({ resourceSubscriptions: ["pdpp://stream/home/notes"] });
  assert.equal(subscription.honoredFilter.resourceSubscriptions?.length, 1);

  stopping.stop.begun.abort();
  assert.equal((await cluster.ask("/readyz", "", { at: stopping.url })).status, 503);
  assert.equal((await cluster.ask("/livez", "", { at: stopping.url })).status, 200);
  assert.equal(
    (await cluster.ask("/v1/schema", token, { at: stopping.url })).status,
    200,
    "it still answers",
  );
  await write("seen by the first");
  await watch.untilLines(2);

  stopping.stop.closing.abort();
  assert.equal(await watch.closed, "ended");
  assert.equal(await subscription.closed, "graceful");
  await client.close();
  await write("written meanwhile");
  const since = encodeURIComponent(watch.lines.at(-1).next_changes_since);
  const end = new AbortController();
  const next = await collectLines(
    await cluster.ask(`${WATCH}&changes_since=${since}`, token, { at: other.url, signal: end.signal }),
  );
  await next.untilLines(2);
  assert.equal(next.lines[1].object, "stream_changed");
  end.abort();

  stopping.stop.ending.abort();
  const cut = await collectLines(
    await cluster.ask("/v1/export?connection_id=home", token, { at: stopping.url }),
  );
  await cut.closed;
  assert.equal(cut.lines.at(-1).error.code, "draining");
  const whole = await collectLines(
    await cluster.ask("/v1/export?connection_id=home", token, { at: other.url }),
  );
  assert.equal(await whole.closed, "ended");
});

test("R54 a watch reports a write on another server at once, and nothing outside the grant", async () => {
  const slow = await startCluster({ limits: { watch_ms: 600_000 } });
  try {
    const [one, other] = slow.servers as [(typeof slow.servers)[0], (typeof slow.servers)[0]];
    const { token } = await slow.allow(["n1"]);
    const watch = await collectLines(await slow.ask(WATCH, token, { at: one.url }));
    await watch.untilLines(1);
    const write = (key: string) =>
      other.parts.store.ingest(other.parts.owner_id, "home", [createNote(key, { title: "written" })]);
    // The listening connection may not be open yet.
    let count = 0;
    await until(async () => {
      await write("n2");
      await other.parts.store.ingest(other.parts.owner_id, "home", [
        createNote("n1", { title: `${count++}` }),
      ]);
      return watch.lines.length > 1;
    });
    // Until it has told of the last of them.
    await until(async () => {
      const since = encodeURIComponent(watch.lines.at(-1).next_changes_since);
      const path = `/v1/streams/notes/records?connection_id=home&changes_since=${since}`;
      const answer = await slow.ask(path, token, { at: one.url });
      const { data } = (await answer.json()) as { data?: unknown[] };
      return data?.length === 0;
    });
    const settled = watch.lines.length;
    await write("n2");
    await delay(600);
    assert.equal(watch.lines.length, settled);
    one.stop.closing.abort();
    assert.equal(await watch.closed, "ended");
  } finally {
    await slow.close();
  }
});
