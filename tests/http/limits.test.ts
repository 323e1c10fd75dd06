import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createToken, digestToken } from "@rungs/server";
import { createWorld, type Json, onEveryEngine } from "../../testing/world.ts";

onEveryEngine(
  (world) => {
    test("a token over its rate limit gets 429 with Retry-After, and other tokens are not affected", async () => {
      const ask = (token?: string) => world().ask("/v1/streams", token);
      for (let at = 0; at < 3; at += 1) assert.equal((await ask()).status, 200);
      const answer = await ask();
      assert.equal(answer.status, 429);
      assert.equal(answer.headers.get("Retry-After"), "2");
      assert.equal(((await answer.json()) as Json).error.code, "rate_limited");
      assert.equal((await ask(world().owner)).status, 200);
      world().clock.now += 2000;
      assert.equal((await ask()).status, 200);
      assert.equal((await ask()).status, 429);
    });

    test("R57 the tokens of one grant share its rate, and the refusal says how long to wait", async () => {
      const { allow, store, ask, owner_id } = world();
      const { token, grant } = await allow([{ name: "notes", instance_ids: ["home"] }]);
      const more = Array.from({ length: 3 }, () => createToken());
      for (const each of more)
        await store.putToken({
          digest: digestToken(each),
          owner_id,
          kind: "client",
          client_id: "agent",
          grant_ids: [grant.grant_id],
          created_at: "2026-01-01T00:00:00Z",
        });
      const statuses: number[] = [];
      for (const each of [token, ...more]) statuses.push((await ask("/v1/streams", each)).status);
      assert.deepEqual(statuses, [200, 200, 200, 429]);
      const { error } = await world().refusal("/v1/streams", token);
      assert.match(error.next, /^Wait 2 seconds/);
    });

    test("R57 one token gets two concurrent lookups, so that others never wait for all of its requests", async () => {
      const { store, client, ask } = world();
      const { findAccess } = store;
      let [running, most, begun] = [0, 0, 0];
      let begunBeforeOwner: number | undefined;
      store.findAccess = async (digest) => {
        const isFlood = digest === digestToken(client);
        if (isFlood) begun += 1;
        else begunBeforeOwner ??= begun;
        if (isFlood) most = Math.max(most, ++running);
        await nextTurn();
        if (isFlood) running -= 1;
        return findAccess(digest);
      };
      try {
        const answers = Array.from({ length: 300 }, () => ask("/v1/streams"));
        await ask("/v1/streams", world().owner);
        const statuses = (await Promise.all(answers)).map(({ status }) => status);
        assert.ok(statuses.includes(429));
        assert.equal(most, 2);
        assert.ok(begun > 10 && (begunBeforeOwner ?? begun) <= 2, `${begunBeforeOwner} of ${begun}`);
      } finally {
        store.findAccess = findAccess;
      }
    });
  },
  { limits: { rate: { burst: 3, per_second: 0.5 } } },
);

test("an answer that takes too long is aborted", async (t) => {
  const world = await createWorld("sqlite", { limits: { answer_ms: 50 } });
  t.after(() => world.close());
  world.store.describeStreams = () => new Promise(() => undefined);
  const { status, code } = await world.refusal("/v1/schema", world.owner);
  assert.deepEqual([status, code], [503, "database_unavailable"]);
});
