/** A watched stream sends lines when granted data changes, and for no other reason. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { listAudit, revokeGrant } from "@rungs/server";
import { engines } from "../../testing/engines.ts";
import { createNote } from "../../testing/library.ts";
import { until } from "../../testing/until.ts";
import { createWorld, type Json, type World } from "../../testing/world.ts";

const WATCH = "/v1/watch/notes?connection_id=home";
const LIMITS = { limits: { watch_ms: 10, stream_ms: 60_000 } };

const write = ({ store, owner_id }: World, key: string, data: object, connection = "home") =>
  store.ingest(owner_id, connection, [createNote(key, data as Record<string, unknown>)]);

/** Opens a watch; collects its lines until the test ends. */
async function watch(t: TestContext, world: World, token: string, path = WATCH) {
  const end = new AbortController();
  t.after(() => end.abort());
  const answer = await world.ask(path, token, { signal: end.signal });
  assert.equal(answer.status, 200);
  const lines: Json[] = [];
  const closed = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const complete = text.split("\n");
      text = complete.pop() ?? "";
      lines.push(...complete.filter((line) => line !== "").map((line) => JSON.parse(line)));
    }
  })().catch(() => undefined);
  const untilLines = (count: number) => until(() => lines.length >= count);
  await untilLines(1);
  return { lines, closed, untilLines, end };
}

for (const engine of Object.keys(engines))
  describe(engine, () => {
    test("R54 R85 a granted change sends a line whose positions list it, and a hidden one sends none", async (t) => {
      const world = await createWorld(engine, LIMITS);
      t.after(() => world.close());
      const { token } = await world.allow([
        { name: "notes", instance_ids: ["home"], fields: ["id", "title"], resources: ["n1", "n2"] },
      ]);
      const { lines, untilLines, end, closed } = await watch(t, world, token);
      assert.deepEqual([lines[0].object, lines[0].stream], ["stream_watched", "notes"]);
      await write(world, "n3", { title: "another record" });
      await write(world, "n1", { title: "Note 1 home", body: "another field", secret: "x" });
      await write(world, "n1", { title: "another connection" }, "work");
      await delay(300);
      assert.equal(lines.length, 1);
      await write(world, "n2", { title: "granted" });
      await untilLines(2);
      const [, { object, changes_since, next_changes_since }] = lines;
      assert.equal(object, "stream_changed");
      const list = (since: string) =>
        world.json(
          `/v1/streams/notes/records?connection_id=home&changes_since=${encodeURIComponent(since)}`,
          token,
        );
      assert.deepEqual(
        (await list(changes_since)).data.map(({ id }: Json) => id),
        ["n2"],
      );
      assert.deepEqual((await list(next_changes_since)).data, []);
      end.abort();
      await closed;
      // A returning client first gets the changes that it missed.
      await write(world, "n1", { title: "while away" });
      const back = await watch(
        t,
        world,
        token,
        `${WATCH}&changes_since=${encodeURIComponent(next_changes_since)}`,
      );
      await back.untilLines(2);
      assert.equal(back.lines[1].object, "stream_changed");
    });

    test("R54 the positions of lines do not reveal how much was written outside the grant", async (t) => {
      const world = await createWorld(engine, LIMITS);
      t.after(() => world.close());
      const { token } = await world.allow([{ name: "notes", instance_ids: ["home"], resources: ["n1"] }]);
      const { lines, untilLines } = await watch(t, world, token);
      const writeHidden = async (count: number) => {
        const notes = Array.from({ length: count }, (_, at) =>
          createNote(`hidden${at}`, { title: `${count}` }),
        );
        await world.store.ingest(world.owner_id, "home", notes);
      };
      for (const [at, count] of [1, 1_100].entries()) {
        await writeHidden(count);
        await delay(300);
        world.clock.now += 300;
        await write(world, "n1", { title: `granted ${count}` });
        await untilLines(at + 2);
        assert.notEqual(lines[at + 1].changes_since, lines[at].next_changes_since, `${count} hidden records`);
      }
    });

    test("R52 R55 R58 a watch ends with its grant, and the audit log has it from its beginning", async (t) => {
      const world = await createWorld(engine, LIMITS);
      t.after(() => world.close());
      const { lines, closed } = await watch(t, world, world.client);
      const owner = { store: world.store, owner_id: world.owner_id, now: () => world.clock.now };
      const audit = async () =>
        (await listAudit(owner, { limit: 20 })).filter((row) => row.operation === "watch");
      assert.deepEqual(
        (await audit()).map(({ progress, stream }) => [progress, stream]),
        [["begun", "notes"]],
      );
      await revokeGrant(owner, world.grant.grant_id);
      await write(world, "n1", { title: "after the end" });
      await closed;
      assert.deepEqual(
        lines.slice(1).map(({ error }) => error?.code),
        ["grant_revoked"],
      );
      assert.ok((await audit()).some(({ progress }) => progress === "broken"));
    });
  });

test("R57 a grant watches a bounded number of streams at once; watches do not count against its other streams", async (t) => {
  const world = await createWorld("sqlite", {
    limits: { ...LIMITS.limits, share: { requests: 4, streams: 1, watches: 2, waiting: 0 } },
  });
  t.after(() => world.close());
  const first = await watch(t, world, world.client);
  await watch(t, world, world.client);
  assert.equal((await world.refusal(WATCH, world.client)).code, "rate_limited");
  assert.equal((await world.ask("/v1/export", world.client)).status, 200);
  const { token } = await world.allow([{ name: "notes", instance_ids: ["home"], fields: ["id"] }]);
  await watch(t, world, token);
  first.end.abort();
  await first.closed;
  await watch(t, world, world.client);
});

test("R54 streams outside the grant cannot be watched, and a position of another stream or grant is refused", async (t) => {
  const world = await createWorld("sqlite", LIMITS);
  t.after(() => world.close());
  const { lines } = await watch(t, world, world.client);
  const since = encodeURIComponent(lines[0].next_changes_since);
  for (const [path, code] of [
    ["/v1/watch/shelves?connection_id=home", "grant_stream_not_allowed"],
    ["/v1/watch/notes?connection_id=work", "grant_stream_not_allowed"],
    ["/v1/watch/nothing", "grant_stream_not_allowed"],
    [`${WATCH}&changes_since=x`, "invalid_cursor"],
  ])
    assert.equal((await world.refusal(path as string, world.client)).code, code, path);
  const { token } = await world.allow([{ name: "notes", instance_ids: ["home"], fields: ["id"] }]);
  assert.equal((await world.refusal(`${WATCH}&changes_since=${since}`, token)).code, "cursor_foreign");
});
