/** Agents without a browser (RFC 8628): the owner types the code that the device shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseAll, onEveryServer, post, read, register, type Served } from "../../testing/oauth/served.ts";

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
    const kept = await served().world.store.listState(served().world.owner_id, "oauth.DeviceCode");
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
});
