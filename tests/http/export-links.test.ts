/** A link downloads an export once, while the token and grant that it was made under are valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { revokeGrant } from "@rungs/server";
import { GRANTED_FIELDS, type Json, onEveryEngine } from "../../testing/world.ts";

onEveryEngine((world) => {
  const make = async (token?: string, query = ""): Promise<Json> =>
    world().json(`/v1/export-links${query}`, token, { method: "POST" });
  const open = (url: string, init: RequestInit = {}) =>
    world().app.request(url.replace(/^https?:\/\/[^/]+/, ""), init);
  const codeOf = async (answer: Response) => {
    const { error } = (await answer.json()) as Json;
    return error?.detail_code ?? error?.code;
  };
  const allow = () =>
    world().allow([{ name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS, resources: undefined }]);

  test("R50 a link downloads what the grant covers, whole, without a token, and once", async () => {
    const { url, expires_at, streams } = await make();
    assert.deepEqual(streams, [{ connection_id: "home", stream: "notes" }]);
    assert.equal(Date.parse(expires_at) - world().clock.now, 15 * 60_000);
    const answer = await open(url);
    assert.match(answer.headers.get("Content-Disposition") ?? "", /^attachment/);
    const lines = (await answer.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const direct = (await (await world().ask("/v1/export")).text()).trimEnd().split("\n");
    assert.deepEqual(
      lines,
      direct.map((line) => JSON.parse(line)),
    );
    const again = await open(url);
    assert.deepEqual([again.status, await codeOf(again)], [401, "invalid_token"]);
  });

  test("of concurrent downloads one succeeds, and HEAD does not use a link up", async () => {
    const { url } = await make();
    assert.equal((await open(url, { method: "HEAD" })).status, 405);
    const answers = await Promise.all([open(url), open(url), open(url)]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 401, 401]);
    for (const answer of answers) await answer.text();
  });

  test("R52 a link ends with its grant, and after 15 minutes", async () => {
    const { token, grant } = await allow();
    const { url } = await make(token);
    const { store, owner_id, clock } = world();
    await revokeGrant({ store, owner_id, now: () => clock.now }, grant.grant_id);
    const revoked = await open(url);
    assert.ok(revoked.status >= 400);
    assert.match(await codeOf(revoked), /^(?:grant_revoked|invalid_token)$/);
    const late = await make();
    clock.now += 16 * 60_000;
    const expired = await open(late.url);
    clock.now -= 16 * 60_000;
    assert.deepEqual([expired.status, await codeOf(expired)], [401, "invalid_token"]);
  });

  test("R51 a link covers only its selection, within the grant", async () => {
    const refused = await world().refusal("/v1/export-links?connection_id=work", undefined, {
      method: "POST",
    });
    assert.equal(refused.code, "grant_stream_not_allowed");
    const { url } = await make(undefined, "?stream=notes&connection_id=home");
    const widened = await open(url.replace(/\?.*$/, ""));
    assert.deepEqual([widened.status, await codeOf(widened)], [401, "invalid_token"]);
    for (const path of ["/v1/export-links/rungs_made-up", "/v1/export-links/x"])
      assert.equal((await open(path)).status, 401);
    const owner = await world().refusal("/v1/export-links", world().owner, { method: "POST" });
    assert.equal(owner.code, "client_token_required");
  });

  test("R55 creating and using a link are both in the audit log, without the secret", async () => {
    const { token, grant } = await allow();
    const { url } = await make(token);
    await (await open(url)).text();
    const { store, owner_id } = world();
    const rows = await store.listAudit(owner_id, { grant_id: grant.grant_id, limit: 10 });
    const made = rows.map(({ operation }) => operation).filter((name) => name.startsWith("export"));
    assert.deepEqual(made.sort(), ["export", "export_link"]);
    assert.ok(rows.some(({ operation, records = 0 }) => operation === "export" && records > 40));
    const secret = /rungs_[\w-]+/.exec(url)?.[0] ?? "";
    assert.ok(secret.length > 40 && !JSON.stringify([rows, world().logs]).includes(secret));
    assert.deepEqual(await store.listState("", "export-link"), []);
  });
});
