import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken, digestToken, putConnection } from "@rungs/server";
import type { StoredToken } from "@rungs/store";
import { library } from "../../testing/library.ts";
import { type Json, onEveryEngine, type World } from "../../testing/world.ts";

const notes = "/v1/streams/notes/records";

async function issue(world: World, token: Partial<StoredToken>): Promise<string> {
  const text = createToken();
  const { owner_id, grant } = world;
  const base = {
    owner_id,
    kind: "client" as const,
    client_id: "agent",
    grant_ids: [grant.grant_id],
    created_at: grant.issued_at,
  };
  await world.store.putToken({ ...base, ...token, digest: digestToken(text) });
  return text;
}

onEveryEngine((world) => {
  test("R50 a call without a token, or with an unknown, expired or foreign one, is 401", async () => {
    const refused = async (headers: Record<string, string>, path = notes) => {
      const answer = await world().app.request(path, { headers });
      return [
        answer.status,
        ((await answer.json()) as Json).error.detail_code,
        answer.headers.get("WWW-Authenticate"),
      ] as const;
    };
    assert.equal((await refused({}))[1], "missing_token");
    assert.equal((await refused({ Authorization: "Basic YTpi" }))[1], "missing_token");
    assert.equal((await refused({ Authorization: "Bearer" }))[1], "invalid_token");
    assert.equal((await refused({ Authorization: "Bearer two words" }))[1], "invalid_token");
    const [status, code, challenge] = await refused({ Authorization: `Bearer ${createToken()}` });
    assert.deepEqual([status, code], [401, "invalid_token"]);
    assert.match(
      challenge ?? "",
      /^Bearer .*resource_metadata="http:\/\/localhost\/\.well-known\/oauth-protected-resource".*error="invalid_token", DPoP algs="ES256 [\w ]+"$/,
    );
    assert.equal((await refused({}, `${notes}?access_token=${world().client}`))[1], "missing_token");
    const expired = await issue(world(), { expires_at: new Date(world().clock.now).toISOString() });
    const revoked = await issue(world(), { revoked_at: "2026-01-01T00:00:00Z" });
    for (const token of [expired, revoked])
      assert.equal((await world().refusal(notes, token)).code, "invalid_token");
  });

  test("R50 the server looks up the kind of a token: the owner reads all, a client may not write", async () => {
    const page = await world().json("/v1/schema", world().owner);
    assert.equal(page.streams.length, 4);
    assert.ok(page.streams[0].fields.some(({ name }: Json) => name === "secret"));
    const refused = await world().refusal(`${notes}/n1`, world().client, { method: "DELETE" });
    assert.deepEqual([refused.status, refused.code], [403, "owner_token_required"]);
    const post = { method: "POST", headers: { "Content-Type": "application/x-ndjson" }, body: "" };
    assert.equal(
      (await world().refusal("/v1/connections/home/records", world().client, post)).code,
      "owner_token_required",
    );
    const odd = await issue(world(), { kind: "admin" as "owner" });
    assert.equal((await world().refusal(notes, odd)).code, "invalid_token");
  });

  test("R51 time and record limits hold on every operation", async () => {
    const { token } = await world().allow([
      {
        name: "notes",
        instance_ids: ["home"],
        time_range: { since: "2026-01-05T00:00:00Z", until: "2026-01-08T00:00:00Z" },
      },
    ]);
    const ids = (page: Json) => page.data.map(({ id, record_id }: Json) => record_id ?? id).sort();
    assert.deepEqual(ids(await world().json(notes, token)), ["n4", "n5", "n6"]);
    assert.deepEqual(ids(await world().json("/v1/search?q=tea", token)), ["n4", "n5", "n6"]);
    assert.deepEqual(ids(await world().json("/v1/streams/notes/query", token)), ["n4", "n5", "n6"]);
    assert.equal((await world().json("/v1/streams/notes/aggregate?metric=count", token)).groups[0].value, 3);
    assert.equal((await world().refusal(`${notes}/n7`, token)).code, "not_found");
    assert.equal((await world().refusal(`${notes}/n7/field-window?field=body`, token)).code, "not_found");
    assert.equal((await world().refusal(`/v1/blobs/${world().blob.blob_id}`, token)).code, "blob_not_found");
    const [stream] = (await world().json("/v1/schema", token)).streams;
    assert.equal(stream.record_count, 3);
    assert.deepEqual(stream.granted_time, {
      since: "2026-01-05T00:00:00.000Z",
      until: "2026-01-08T00:00:00.000Z",
    });
    const single = await world().allow([{ name: "notes", instance_ids: ["home"], resources: ["n9"] }]);
    assert.deepEqual(ids(await world().json(notes, single.token)), ["n9"]);
    assert.equal((await world().json("/v1/schema", single.token)).streams[0].granted_records, 1);
  });

  test("R52 revocation and expiry take effect at the next request", async () => {
    const { token, grant } = await world().allow([{ name: "notes", instance_ids: ["home"] }]);
    await world().json(notes, token);
    await world().store.revokeGrant(world().owner_id, grant.grant_id, "2026-07-01T00:00:00Z");
    const refused = await world().refusal(notes, token);
    assert.deepEqual([refused.status, refused.code], [403, "grant_revoked"]);
    const brief = await world().allow([{ name: "notes", instance_ids: ["home"] }], {
      expires_at_ms: world().clock.now + 1000,
    });
    await world().json(notes, brief.token);
    const kept = await issue(world(), { grant_ids: [brief.grant.grant_id] });
    world().clock.now += 1000;
    assert.equal(
      (await world().refusal(notes, brief.token)).code,
      "invalid_token",
      "a token never outlives its grant",
    );
    assert.equal((await world().refusal(notes, kept)).code, "grant_expired");
    world().clock.now -= 1000;
  });

  test("R52 a token whose grant does not exist is invalid", async () => {
    const lost = await issue(world(), { grant_ids: ["grant_nowhere"] });
    const none = await issue(world(), { grant_ids: [] });
    for (const token of [lost, none])
      assert.equal((await world().refusal(notes, token)).code, "grant_invalid");
  });

  test("a token with several grants gets their union, without ended ones", async () => {
    const home = await world().allow([{ name: "notes", instance_ids: ["home"], fields: ["id", "title"] }]);
    const work = await world().allow([{ name: "shelves", instance_ids: ["work"] }]);
    const token = await issue(world(), { grant_ids: [home.grant.grant_id, work.grant.grant_id] });
    const names = async () =>
      (await world().json("/v1/schema", token)).streams.map(
        (each: Json) => `${each.connection_id}/${each.stream}`,
      );
    assert.deepEqual(await names(), ["home/notes", "work/shelves"]);
    assert.equal((await world().refusal(`${notes}/n1?fields=body`, token)).code, "field_not_granted");
    await world().json("/v1/search?q=note", token);
    const rows = await world().store.listAudit(world().owner_id, { limit: 13 });
    const grants = new Set(
      rows.filter(({ operation }) => operation === "search").map(({ grant_id }) => grant_id),
    );
    assert.deepEqual([...grants].sort(), [home.grant.grant_id, work.grant.grant_id].sort());
    await world().store.revokeGrant(world().owner_id, work.grant.grant_id, "2026-07-01T00:00:00Z");
    assert.deepEqual(await names(), ["home/notes"]);
    const twice = await issue(world(), { grant_ids: [home.grant.grant_id, world().grant.grant_id] });
    assert.equal((await world().refusal(notes, twice)).code, "grant_conflict");
  });

  test("a single_use grant has one token, which works for a day at most", async () => {
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home"] }], {
      access_mode: "single_use",
    });
    await world().json(notes, token);
    world().clock.now += 86_400_000;
    assert.equal((await world().refusal(notes, token)).code, "invalid_token");
    world().clock.now -= 86_400_000;
  });

  test("R53 no token is stored, logged, or in an answer", async () => {
    const { store, owner_id, logs, client } = world();
    await world().refusal(`/v1/search?q=a&token=${client}`);
    const rows = await store.listAudit(owner_id, { limit: 1000 });
    const found = await store.findToken(digestToken(client));
    assert.notEqual(found?.digest, client);
    assert.ok(![JSON.stringify(rows), JSON.stringify(logs), JSON.stringify(found)].join().includes(client));
  });

  test("R54 a record outside the grant gets the same error, whether or not it exists", async () => {
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home"], fields: ["title"] }]);
    const refused = async (path: string) => {
      const { error } = await world().refusal(path, token);
      const { request_id: _, ...rest } = error;
      return rest;
    };
    const pairs = [
      [`${notes}?connection_id=work`, `${notes}?connection_id=nowhere`],
      ["/v1/streams/shelves/records", "/v1/streams/nothing/records"],
      ["/v1/streams/shelves", "/v1/streams/nothing"],
      ["/v1/streams/shelves/records/x", "/v1/streams/nothing/records/x"],
      ["/v1/export?stream=shelves", "/v1/export?stream=nothing"],
      [`${notes}?fields=body`, `${notes}?fields=nothing`],
      [`${notes}/n1/field-window?field=body`, `${notes}/n1/field-window?field=nothing`],
      [`/v1/blobs/${world().blob.blob_id}`, `/v1/blobs/${"0".repeat(64)}`],
    ] as const;
    for (const [there, nowhere] of pairs)
      assert.deepEqual(await refused(there), await refused(nowhere), there);
    assert.equal((await refused("/v1/streams/shelves/records")).code, "grant_stream_not_allowed");
  });

  test("R51 only a stream whose source changed its time field is refused", async () => {
    const parts = { store: world().store, owner_id: world().owner_id, now: Date.now };
    const [first, second] = library.streams;
    assert.ok(first && second);
    const time_range = { since: "2026-01-05T00:00:00Z" };
    const { token } = await world().allow([
      { name: "notes", instance_ids: ["work"], time_range },
      { name: "shelves", instance_ids: ["work"] },
    ]);
    await world().json(`${notes}/n9`, token);
    const { consent_time_field: _, ...timeless } = first;
    await putConnection(
      parts,
      "work",
      { ...library, declaration_version: "2", streams: [timeless, second] },
      undefined,
    );
    for (const path of [
      notes,
      `${notes}/n9`,
      `${notes}/n9/field-window?field=body`,
      "/v1/search?q=tea",
      "/v1/export",
      "/v1/schema?stream=notes",
    ]) {
      const { status, code } = await world().refusal(path, token);
      assert.deepEqual([status, code], [403, "grant_invalid"], path);
    }
    const { streams } = await world().json("/v1/schema", token);
    assert.deepEqual(
      streams.map(({ stream }: Json) => stream),
      ["shelves"],
    );
    await world().json("/v1/streams/shelves/records", token);
    await putConnection(parts, "work", library, undefined);
    await world().json(notes, token);
  });
});
