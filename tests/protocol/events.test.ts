/** Subscriptions: a receiver that knows only CloudEvents, Standard Webhooks and the specification. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAudit, revokeGrant } from "@rungs/server";
import { GRANTED_FIELDS, type Json, onEveryEngine } from "../../testing/world.ts";
import { openReceiver, verify } from "./event-receiver.ts";
import { createSubscriber, JSON_TYPE, PATH } from "./event-subscriber.ts";

onEveryEngine((world) => {
  const { owner, connect, openRound, write, subscribe, allowNotes } = createSubscriber(world);

  test("R85 a subscription is verified, announces changes once, signed, and its cursor lists them", async (t) => {
    const client = connect((await allowNotes()).token);
    const receiver = await openReceiver(t);
    const round = await openRound();
    const { subscription_id, secret } = await subscribe(client, { callback_url: receiver.url });
    await write("early", { title: "before the verification" });
    await round();
    assert.deepEqual(receiver.types(), ["pdpp.subscription.verify"]);
    assert.equal((await client.get("subscription", `${PATH}/${subscription_id}`)).status, "active");
    await round();
    assert.deepEqual(receiver.types().slice(1), ["pdpp.records.changed"]);
    await write("later", { title: "one", body: "secret words 漢字" });
    await write("later", { title: "two" });
    await round();
    await round();
    await round();
    assert.equal(receiver.received.length, 3);
    for (const each of receiver.received) {
      client.validate("event", each.event);
      verify(each, secret);
      assert.match(String(each.headers["content-type"]), /^application\/cloudevents\+json/);
      assert.doesNotMatch(each.text, /secret words|later|two/);
    }
    const { stream, connection_id, changes_since } = receiver.received[2]!.event.data;
    const path = `/v1/streams/${stream}/records?connection_id=${connection_id}&changes_since=${encodeURIComponent(changes_since)}`;
    const { data } = await client.get("records", path);
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      ["later"],
    );
    const audit = await listAudit(owner(), { limit: 50 });
    assert.equal(audit.filter(({ operation }) => operation === "event_sent").length, 2);
  });

  test("R54 nothing outside the grant triggers an event: other fields, streams, connections, records and conditions", async (t) => {
    const { token } = await world().allow([
      {
        name: "notes",
        instance_ids: ["home"],
        fields: ["id", "title"],
        resources: ["n1", "n2"],
      },
    ]);
    const receiver = await openReceiver(t);
    const round = await openRound();
    await subscribe(connect(token), { callback_url: receiver.url });
    await round();
    await write("n3", { title: "another record" });
    await write("n1", { title: "Note 1 home", body: "another field", secret: "x" });
    await write("n1", { title: "another connection" }, "work");
    await round();
    await round();
    assert.deepEqual(receiver.types(), ["pdpp.subscription.verify"]);
    await write("n2", { title: "granted" });
    await round();
    assert.deepEqual(receiver.types().slice(1), ["pdpp.records.changed"]);
  });

  test("R52 subscriptions end with their grant: one last message, then none, and nothing stays queued", async (t) => {
    const { token, grant } = await allowNotes();
    const receiver = await openReceiver(t);
    const round = await openRound();
    const client = connect(token);
    const { subscription_id } = await subscribe(client, { callback_url: receiver.url });
    await round();
    await write("r1", { title: "waits" });
    await revokeGrant(owner(), grant.grant_id);
    await write("r2", { title: "after the end" });
    await round();
    await round();
    assert.deepEqual(receiver.types(), ["pdpp.subscription.verify", "pdpp.grant.revoked"]);
    const { data } = await connect(world().owner).get("subscriptions", PATH);
    assert.ok(!data.some((each: Json) => each.subscription_id === subscription_id));
  });

  test("R52 an expired grant sends nothing but its end", async (t) => {
    const expires_at_ms = world().clock.now + 60_000;
    const { token } = await world().allow(
      [{ name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS }],
      { expires_at_ms },
    );
    const receiver = await openReceiver(t);
    const round = await openRound();
    await subscribe(connect(token), { callback_url: receiver.url });
    await round();
    world().clock.now += 120_000;
    await write("x1", { title: "too late" });
    await round();
    assert.deepEqual(receiver.types(), ["pdpp.subscription.verify", "pdpp.grant.revoked"]);
  });

  test("R85 a failed message is retried with back-off under the same id; then the subscription is off until it is switched on", async (t) => {
    const client = connect((await allowNotes()).token);
    const receiver = await openReceiver(t);
    const round = await openRound();
    const { subscription_id } = await subscribe(client, { callback_url: receiver.url });
    await round();
    await write("f1", { title: "fails" });
    receiver.answers.push(...Array.from({ length: 7 }, () => ({ status: 500 })));
    const times: number[] = [];
    for (let step_ms = 10_000; step_ms < 86_400_000 && receiver.answers.length > 0; step_ms *= 1.2) {
      const before = receiver.received.length;
      await round();
      if (receiver.received.length > before) times.push(world().clock.now);
      world().clock.now += Math.round(step_ms);
    }
    const sent = receiver.received.slice(1);
    assert.deepEqual([sent.length, new Set(sent.map(({ event }) => event.id)).size], [7, 1]);
    const waits = times.slice(1).map((time, at) => time - times[at]!);
    assert.deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    const off = await client.get("subscription", `${PATH}/${subscription_id}`);
    assert.deepEqual([off.status, off.disabled_reason], ["disabled_failure", "receiver_failed"]);
    await write("f2", { title: "while it is off" });
    await round();
    assert.equal(receiver.received.length, 8);
    world().clock.now += 1000;
    await client.send("subscription_updated", `${PATH}/${subscription_id}`, {
      method: "PATCH",
      body: '{"enabled":true}',
      headers: JSON_TYPE,
    });
    await round();
    const { changes_since } = receiver.received.at(-1)!.event.data;
    const path = `/v1/streams/notes/records?connection_id=home&changes_since=${encodeURIComponent(changes_since)}`;
    const { data } = await client.get("records", path);
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      ["f1", "f2"],
    );
  });

  test("R85 a busy receiver is retried later, a gone one never, and redirects are not followed", async (t) => {
    const client = connect((await allowNotes()).token);
    const receiver = await openReceiver(t);
    const elsewhere = await openReceiver(t);
    const round = await openRound();
    const { subscription_id } = await subscribe(client, { callback_url: receiver.url });
    await round();
    await write("b1", { title: "busy" });
    receiver.answers.push({ status: 429, headers: { "Retry-After": "600" } });
    await round();
    world().clock.now += 590_000;
    await round();
    assert.equal(receiver.received.length, 2);
    receiver.answers.push({ status: 307, headers: { Location: elsewhere.url } });
    world().clock.now += 20_000;
    await round();
    assert.deepEqual([receiver.received.length, elsewhere.received.length], [3, 0]);
    receiver.answers.push({ status: 410 });
    world().clock.now += 60_000;
    await round();
    world().clock.now += 86_400_000;
    await round();
    assert.equal(receiver.received.length, 4);
    const { status, disabled_reason } = await client.get("subscription", `${PATH}/${subscription_id}`);
    assert.deepEqual([status, disabled_reason], ["disabled_failure", "receiver_gone"]);
  });

  test("R54 a subscription is visible only under its grant; the owner sees and ends all; a test message and a new key work", async (t) => {
    const client = connect((await allowNotes()).token);
    const other = connect((await allowNotes()).token);
    const receiver = await openReceiver(t);
    const round = await openRound();
    const { subscription_id } = await subscribe(client, {
      callback_url: receiver.url,
      filters: { streams: ["notes"] },
    });
    const path = `${PATH}/${subscription_id}`;
    assert.deepEqual((await other.get("subscriptions", PATH)).data, []);
    assert.equal((await other.get("error", path)).error.code, "not_found");
    const patch = { method: "PATCH", body: '{"rotate_secret":true}', headers: JSON_TYPE };
    assert.equal((await other.send("error", path, patch)).error.code, "not_found");
    const { secret } = await client.send("subscription_updated", path, patch);
    const { event_id } = await client.send("test_event", `${path}/test-event`, { method: "POST" });
    await round();
    await round();
    const last = receiver.received.at(-1)!;
    assert.deepEqual([last.event.type, last.event.id], ["pdpp.subscription.test", event_id]);
    verify(last, secret);
    const off = { method: "PATCH", body: '{"enabled":false}', headers: JSON_TYPE };
    const { subscription } = await client.send("subscription_updated", path, off);
    assert.equal(subscription.status, "disabled");
    const inactive = await client.send("error", `${path}/test-event`, { method: "POST" });
    assert.equal(inactive.error.code, "subscription_inactive");
    const all = await connect(world().owner).get("subscriptions", PATH);
    assert.ok(all.data.some((each: Json) => each.subscription_id === subscription_id));
    const refused = await connect(world().owner).send("error", PATH, {
      method: "POST",
      body: JSON.stringify({ callback_url: receiver.url }),
      headers: JSON_TYPE,
    });
    assert.equal(refused.error.code, "client_token_required");
    assert.equal((await world().ask(path, world().owner, { method: "DELETE" })).status, 204);
    assert.equal((await client.get("error", path)).error.code, "not_found");
  });
});
