/** Agents without a browser (RFC 8628): the owner types the code that the device shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseAll, onEveryServer, post, read, register, type Served } from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

async function start(served: Served, client_id: string) {
  const { status, body } = await post(`${served.url}/oauth/device`, { client_id });
  assert.equal(status, 200, JSON.stringify(body));
  const poll = (device_code: string = body.device_code) =>
    post(`${served.url}/oauth/token`, { grant_type: DEVICE_GRANT, client_id, device_code });
  return { body, poll };
}

onEveryServer((served) => {
  test("a device gets its token once, after the owner typed its code and agreed", async () => {
    const { consents } = served().oauth;
    const { body, poll } = await start(served(), await register(served()));
    assert.equal(body.verification_uri, `${served().url}/console/device`);
    assert.equal((await poll()).body.error, "authorization_pending");
    const uid = await consents.findDevice(` ${body.user_code.toLowerCase()} `);
    assert.ok(uid !== undefined);
    const view = await consents.view(uid);
    assert.ok(view);
    assert.deepEqual([view.user_code, view.client.redirect_host], [body.user_code, ""]);
    const choice = chooseAll(view);
    const digest = (await consents.view(uid, choice))?.digest ?? "";
    const result = await consents.approve(uid, choice, { digest, training_allowed: false });
    assert.deepEqual(result, { kind: "granted", redirect_url: "/console/device?result=granted" });
    assert.equal(await consents.findDevice(body.user_code), undefined);
    const { status, body: tokens } = await poll();
    assert.equal(status, 200, JSON.stringify(tokens));
    assert.ok(tokens.refresh_token !== undefined && tokens.authorization_details.length > 0);
    assert.equal((await read(served(), "/v1/schema", tokens.access_token)).status, 200);
    assert.equal((await poll()).body.error, "invalid_grant");
    assert.equal((await read(served(), "/v1/schema", tokens.access_token)).status, 401);
  });

  test("a refusal reaches the device", async () => {
    const { consents } = served().oauth;
    const { body, poll } = await start(served(), await register(served()));
    const uid = (await consents.findDevice(body.user_code)) ?? "";
    assert.equal(await consents.deny(uid), "/console/device?result=denied");
    assert.equal((await poll()).body.error, "access_denied");
  });

  test("only the displayed code finds a device, and a digest does not work as a device code", async () => {
    const { consents } = served().oauth;
    const { body, poll } = await start(served(), await register(served()));
    for (const wrong of ["", "BCDF-GHJK", body.device_code, "#"]) {
      assert.equal(await consents.findDevice(wrong), undefined);
    }
    const kept = await served().world.store.listState("", "oauth.DeviceCode");
    assert.ok(kept.length > 0);
    for (const { id } of kept) {
      assert.equal((await poll(`#${id}`)).body.error, "invalid_grant");
      assert.equal((await poll(id)).body.error, "invalid_grant");
    }
  });

  test("a device can request the same details as any client", async () => {
    const authorization_details = JSON.stringify([{ type: "https://pdpp.dev/data-access" }]);
    const client_id = await register(served());
    const { body } = await post(`${served().url}/oauth/device`, { client_id, authorization_details });
    assert.equal(body.error, "invalid_authorization_details");
  });

  const send = async (url: string, body: unknown) => {
    const headers = { "Content-Type": "application/json" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await fetch(url, { method: "POST", headers, body: text });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  /** As the protocol's command line does: discovery, registration without a redirect address, start. */
  const connect = async () => {
    const metadata = (await (
      await fetch(`${served().url}/.well-known/oauth-authorization-server`)
    ).json()) as Json;
    assert.deepEqual(metadata.pdpp_authorization_details_types_supported, ["https://pdpp.dev/data-access"]);
    assert.ok(metadata.pdpp_registration_modes_supported.includes("dynamic"));
    const about = { client_name: "Command line", token_endpoint_auth_method: "none" };
    const { body: client } = await send(metadata.registration_endpoint, about);
    const asked = { resource: served().url, scope: "pdpp:read", client_name: "Command line" };
    return send(metadata.agent_connect_endpoint, { ...asked, client_id: client.client_id });
  };

  test("R85 a program without a browser connects by agent connect, polls, and gets a token when the owner agrees", async () => {
    const { consents } = served().oauth;
    const { status, body } = await connect();
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.approval_url.startsWith(`${served().url}/console/device`));
    assert.ok(body.interval_ms >= 1000);
    const poll = () => send(body.poll_url, { polling_code: body.polling_code });
    assert.deepEqual(await poll(), { status: 202, body: { status: "pending" } });
    const uid = (await consents.findDevice(body.user_code)) ?? "";
    const view = await consents.view(uid);
    assert.ok(view);
    assert.equal(view.client.name, "Command line");
    const choice = chooseAll(view);
    const digest = (await consents.view(uid, choice))?.digest ?? "";
    await consents.approve(uid, choice, { digest, training_allowed: false });
    const { body: approved } = await poll();
    assert.equal(approved.status, "approved", JSON.stringify(approved));
    assert.equal((await read(served(), "/v1/schema", approved.access_token)).status, 200);
    assert.equal((await poll()).body.error, "invalid_grant");
  });

  test("R85 agent connect refuses in the device flow's terms, and accepts only its JSON", async () => {
    const { consents } = served().oauth;
    const { body } = await connect();
    await consents.deny((await consents.findDevice(body.user_code)) ?? "");
    const denied = await send(body.poll_url, { polling_code: body.polling_code });
    assert.deepEqual([denied.status, denied.body.error], [400, "access_denied"]);
    const start = `${served().url}/oauth/agent-connect`;
    for (const [url, sent, code] of [
      [start, "{", "invalid_request"],
      [start, { resource: served().url }, "invalid_request"],
      [start, "x".repeat(20_000), "request_too_large"],
      [body.poll_url, {}, "invalid_request"],
    ]) {
      const refused = await send(url, sent);
      assert.equal(refused.body.error.code, code, JSON.stringify(sent));
    }
    assert.equal((await send(start, { client_id: "nobody" })).body.error, "invalid_client");
    const other = await send(`${start}/token?client_id=nobody`, { polling_code: body.polling_code });
    assert.equal(other.body.error, "invalid_client");
    const details = [{ type: "https://pdpp.dev/data-access" }];
    const client_id = await register(served());
    const invalid = await send(start, { client_id, authorization_details: details });
    assert.equal(invalid.body.error, "invalid_authorization_details");
  });
});
