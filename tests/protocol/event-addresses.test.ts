/** Allowed callback addresses, and receivers that never answer. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { hostname } from "node:os";
import { test } from "node:test";
import { allowEventAddress, forbidEventAddress } from "@rungs/server";
import { onEveryEngine } from "../../testing/world.ts";
import { openReceiver } from "./event-receiver.ts";
import { createSubscriber, JSON_TYPE, PATH } from "./event-subscriber.ts";

onEveryEngine((world) => {
  const { owner, connect, openRound, write, subscribe, allowNotes } = createSubscriber(world);

  test("R85 a receiver that does not return the challenge gets no events", async (t) => {
    const client = connect((await allowNotes()).token);
    const silent = createServer((_request, response) => response.end("{}"));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    t.after(() => silent.close());
    const callback_url = `http://localhost:${(silent.address() as AddressInfo).port}/`;
    const round = await openRound();
    const { subscription_id } = await subscribe(client, { callback_url });
    await write("c1", { title: "not told" });
    await round();
    const { status } = await client.get("subscription", `${PATH}/${subscription_id}`);
    assert.equal(status, "pending_verification");
  });

  test("R50 only addresses of this machine and those that the owner approved get messages", async (t) => {
    const client = connect((await allowNotes()).token);
    const refuse = async (body: object) => {
      const init = { method: "POST", body: JSON.stringify(body), headers: JSON_TYPE };
      return (await client.send("error", PATH, init)).error;
    };
    const approved = { callback_url: "https://hooks.example/in" };
    assert.equal((await refuse(approved)).code, "callback_not_approved");
    await allowEventAddress(owner(), "https://hooks.example");
    await subscribe(client, approved);
    await forbidEventAddress(owner(), "https://hooks.example");
    assert.equal((await refuse(approved)).code, "callback_not_approved");
    for (const callback_url of [
      "http://hooks.example/in",
      "ftp://127.0.0.1/",
      "https://a:b@hooks.example/",
      "nothing",
    ])
      assert.deepEqual(
        [(await refuse({ callback_url })).code, (await refuse({ callback_url })).param],
        ["invalid_request", "callback_url"],
        callback_url,
      );
    const receiver = await openReceiver(t);
    assert.equal((await refuse({ callback_url: receiver.url, more: 1 })).param, "more");
    assert.equal(
      (await refuse({ callback_url: receiver.url, filters: { streams: ["shelves"] } })).code,
      "grant_stream_not_allowed",
    );
    // Behind a proxy, this machine's addresses need an approval too.
    await subscribe(client, { callback_url: receiver.url });
    await (await openRound(false))();
    assert.deepEqual(receiver.types(), []);
  });

  test("R50 R57 a receiver that never answers delays nobody else", async (t) => {
    const slow = createServer(() => undefined);
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      slow.closeAllConnections();
      slow.close();
    });
    const round = await openRound();
    for (let at = 0; at < 3; at += 1)
      await subscribe(connect((await allowNotes()).token), {
        callback_url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`,
      });
    const receiver = await openReceiver(t);
    await subscribe(connect((await allowNotes()).token), { callback_url: receiver.url });
    await round();
    await write("s1", { title: "beside slow ones" });
    await round();
    assert.deepEqual(receiver.types(), ["pdpp.subscription.verify", "pdpp.records.changed"]);
  });

  test("R50 an approved name gets nothing if it resolves to this machine or the local network, nor does such an address", async (t) => {
    const connections: unknown[] = [];
    const inside = createTcpServer((socket) => {
      connections.push(socket.remoteAddress);
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, resolve));
    t.after(() => inside.close());
    const { port } = inside.address() as AddressInfo;
    const round = await openRound();
    const client = connect((await allowNotes()).token);
    const inward = [hostname(), "localhost.", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "169.254.169.254"];
    for (const host of inward) {
      const origin = `https://${host}:${port}`;
      await allowEventAddress(owner(), origin);
      await subscribe(client, { callback_url: `${origin}/hook` });
      // Do not wait for later answers: only connections count.
      await round();
    }
    assert.deepEqual(connections, []);
  });
});
