/** Notifications of stream changes, over both transports and both ways to subscribe. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { revokeGrant } from "@rungs/server";
import { createNote } from "../../testing/library.ts";
import { connectHttp, connectStdio } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { until } from "../../testing/until.ts";

const NOTES = "pdpp://stream/home/notes";
/** Far longer than the server's polling interval. */
const QUIET_MS = 500;

describe("subscriptions", { concurrency: true }, () => {
  let served: ServedWorld;
  before(async () => {
    served = await serveWorld("sqlite", { limits: { watch_ms: 20 } });
  });
  after(() => served?.close());

  /** Grants a single record of a single stream, so that concurrent tests do not interfere. */
  const allow = async (key: string) =>
    served.world.allow([
      { name: "notes", instance_ids: ["home"], fields: ["id", "title"], resources: [key] },
    ]);
  const write = (key: string, data: Record<string, unknown>, connection = "home") =>
    served.world.store.ingest(served.world.owner_id, connection, [createNote(key, data)]);
  const hear = (client: McpClient) => {
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri);
    });
    return heard;
  };
  /** Subscribes as the connection's revision requires; returns the resources that the server accepted. */
  const subscribe = async (client: McpClient, uris: string[], isLegacy: boolean): Promise<string[]> => {
    if (!isLegacy) {
      const { honoredFilter } = await client.listen({ resourceSubscriptions: uris });
      return honoredFilter.resourceSubscriptions ?? [];
    }
    const taken: string[] = [];
    for (const uri of uris)
      await client.subscribeResource({ uri }).then(
        () => taken.push(uri),
        () => undefined,
      );
    return taken;
  };

  for (const [name, connect, era] of [
    ["HTTP, listening", connectHttp, "auto"],
    ["stdio, listening", connectStdio, "auto"],
    ["stdio, with resources/subscribe", connectStdio, "legacy"],
  ] as const) {
    const title =
      "R54 a change that the grant shows sends a notification, any other change does not, and notifications end with the grant";
    test(`${title}: ${name}`, async (t) => {
      const key = name.replaceAll(/\W/g, "");
      const { token, grant } = await allow(key);
      const client = await connect({ url: served.url, token }, era);
      t.after(() => client.close());
      const heard = hear(client);
      assert.equal(client.getServerCapabilities()?.resources?.subscribe, true);
      const hidden = ["pdpp://stream/work/notes", "pdpp://stream/home/shelves", "pdpp://stream/no/where"];
      const taken = await subscribe(client, [NOTES, ...hidden, "pdpp://blob/x"], era === "legacy");
      assert.deepEqual(taken, [NOTES]);
      await write(key, { title: "granted", body: "one" });
      await until(() => heard.length > 0);
      assert.deepEqual(new Set(heard), new Set([NOTES]));
      await delay(QUIET_MS);
      const before = heard.length;
      await write(key, { title: "granted", body: "another hidden field" });
      await write(key, { title: "granted" }, "work");
      await delay(QUIET_MS);
      assert.equal(heard.length, before);
      await revokeGrant({ ...served.world, now: () => served.world.clock.now }, grant.grant_id);
      await write(key, { title: "after the end" });
      await delay(QUIET_MS);
      assert.equal(heard.length, before);
    });
  }

  test("R50 R57 callers' notifications are isolated, a token may have four listens at once, and all end with the grant", async (t) => {
    const grants = [await allow("mine"), await allow("yours")];
    const [mine, yours] = await Promise.all(
      grants.map(({ token }) => connectHttp({ url: served.url, token })),
    );
    assert.ok(mine && yours);
    t.after(() => Promise.all([mine.close(), yours.close()]));
    const [heard, foreign] = [hear(mine), hear(yours)];
    const filter = { resourceSubscriptions: [NOTES] };
    const first = await mine.listen(filter);
    await yours.listen(filter);
    await write("mine", { title: "one caller's record" });
    await until(() => heard.length > 0);
    await delay(QUIET_MS);
    assert.deepEqual(foreign, []);
    const others = [await mine.listen(filter), await mine.listen(filter), await mine.listen(filter)];
    await assert.rejects(mine.listen(filter), /at most 4 times/);
    await others[0]?.close();
    await mine.listen(filter);
    // Listens do not count against the limit on calls.
    assert.ok((await mine.listTools()).tools.length > 0);
    await revokeGrant({ ...served.world, now: () => served.world.clock.now }, grants[0]!.grant.grant_id);
    assert.equal(await first.closed, "graceful");
  });
});
