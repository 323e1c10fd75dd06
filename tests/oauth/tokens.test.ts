/** Tokens: what they grant, how long they live, and how they are stored. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import {
  createIntrospectionCredential,
  digestToken,
  listTokens,
  revokeGrant,
  revokeToken,
} from "@rungs/server";
import {
  agree,
  CALLBACK,
  chooseAll,
  Flow,
  onEveryServer,
  post,
  read,
  register,
  serve,
} from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

const HOUR = 3600;

onEveryServer((served) => {
  const begin = async () => new Flow(served(), await register(served()));
  const lastGrant = async () => {
    const grants = await served().world.store.listGrants(served().world.owner_id);
    return grants.toSorted((a, b) => b.grant.issued_at.localeCompare(a.grant.issued_at))[0]?.grant;
  };

  test("clients find both kinds of metadata, and a 401 says where", async () => {
    const { url } = served();
    for (const suffix of ["", "/mcp"]) {
      const place = `${url}/.well-known/oauth-protected-resource${suffix}`;
      const document = (await (await fetch(place)).json()) as Json;
      assert.deepEqual([document.resource, document.authorization_servers], [url + suffix, [url]]);
      const refused = await fetch(url + (suffix === "" ? "/v1/schema" : "/mcp"));
      assert.equal(refused.status, 401);
      assert.ok(refused.headers.get("WWW-Authenticate")?.includes(`resource_metadata="${place}"`));
    }
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      const metadata = (await (await fetch(`${url}/.well-known/${name}`)).json()) as Json;
      assert.equal(metadata.issuer, url);
      assert.deepEqual(metadata.code_challenge_methods_supported, ["S256"]);
      assert.deepEqual(metadata.response_types_supported, ["code"]);
      assert.deepEqual(metadata.token_endpoint_auth_methods_supported, ["none"]);
      assert.equal(metadata.client_id_metadata_document_supported, true);
      assert.equal(metadata.authorization_response_iss_parameter_supported, true);
      assert.deepEqual(metadata.authorization_details_types_supported, ["https://pdpp.dev/data-access"]);
      const endpoints = [
        "registration",
        "pushed_authorization_request",
        "device_authorization",
        "revocation",
      ];
      for (const endpoint of [...endpoints, "introspection", "authorization", "token"]) {
        assert.match(metadata[`${endpoint}_endpoint`], new RegExp(`^${url}/oauth/`), endpoint);
      }
    }
  });

  test("token responses are not cacheable", async () => {
    const flow = await begin();
    const code = (await agree(served(), flow.authorizationUrl())).searchParams.get("code") ?? "";
    const { answer } = await flow.exchange(code);
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
    assert.match(answer.headers.get("Request-Id") ?? "", /^req_/);
  });

  test("R53 secrets are stored only as digests", async () => {
    const flow = await begin();
    const callback = await agree(served(), flow.authorizationUrl());
    const code = callback.searchParams.get("code") ?? "";
    const { body } = await flow.exchange(code);
    const { body: device } = await post(`${served().url}/oauth/device`, { client_id: flow.client_id });
    const kept = JSON.stringify(await listEverything(served().world));
    assert.match(kept, /Grant/);
    const secrets = [
      code,
      body.access_token,
      body.refresh_token,
      device.device_code,
      device.user_code.replace("-", ""),
    ];
    for (const secret of secrets) assert.ok(!kept.includes(secret), "a secret is kept");
  });

  test("R52 after the owner revokes a grant, the next read and the next refresh fail", async () => {
    const flow = await begin();
    const { access_token, refresh_token } = await flow.connect();
    const grant = await lastGrant();
    await revokeGrant(served().oauth, grant?.grant_id ?? "");
    const answer = await read(served(), "/v1/schema", access_token);
    assert.equal(((await answer.json()) as Json).error.code, "grant_revoked");
    assert.equal((await flow.refresh(refresh_token)).body.error, "invalid_grant");
  });

  test("R57 a refresh ends the former access token, and keeps just enough of the used refresh token to detect reuse", async () => {
    const flow = await begin();
    const first = await flow.connect();
    const { body: second } = await flow.refresh(first.refresh_token);
    assert.equal((await read(served(), "/v1/schema", first.access_token)).status, 401);
    assert.equal((await read(served(), "/v1/schema", second.access_token)).status, 200);
    const { store } = served().world;
    const stored = await store.getState("", "oauth.RefreshToken", digestToken(first.refresh_token));
    assert.deepEqual(Object.keys(stored?.value as object).sort(), [
      "accountId",
      "clientId",
      "consumed",
      "exp",
      "grantId",
      "iat",
      "kind",
      "scope",
    ]);
    // Its second use ends the family, whatever it requests.
    const form = { client_id: flow.client_id, grant_type: "refresh_token", scope: "read" };
    const reused = await post(`${served().url}/oauth/token`, { ...form, refresh_token: first.refresh_token });
    assert.equal(reused.body.error, "invalid_grant");
    assert.equal((await read(served(), "/v1/schema", second.access_token)).status, 401);
  });

  test("a single-use grant gets one token and no refresh token", async () => {
    const flow = await begin();
    const detail = {
      type: "https://pdpp.dev/data-access",
      source: { id: "https://rungs.example/connectors/library" },
      purpose_code: "https://pdpp.dev/purpose/assistance",
      access_mode: "single_use",
      streams: [{ name: "notes", instance_ids: ["home"] }],
    };
    const body = await flow.connect({ authorization_details: JSON.stringify([detail]) });
    assert.equal(body.refresh_token, undefined);
    assert.equal((await read(served(), "/v1/schema", body.access_token)).status, 200);
  });

  test("scopes and prompts from other providers have no effect", async () => {
    const flow = await begin();
    const body = await flow.connect({ scope: "openid email offline_access", prompt: "login consent" });
    assert.deepEqual([body.scope, body.id_token], ["read", undefined]);
    assert.ok(body.refresh_token !== undefined);
  });

  test("nothing outlives its grant", async () => {
    const flow = await begin();
    const { refresh_token, expires_in } = await flow.connect({}, (view) => ({
      ...chooseAll(view),
      expires_in_days: 1,
    }));
    assert.ok(expires_in <= HOUR);
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 23.75 * HOUR * 1000 });
    try {
      const { body: late } = await flow.refresh(refresh_token);
      assert.ok(late.expires_in <= 0.25 * HOUR, `${late.expires_in}`);
      mock.timers.setTime(Date.now() + HOUR * 1000);
      assert.equal((await flow.refresh(late.refresh_token)).body.error, "invalid_grant");
      assert.equal((await read(served(), "/v1/schema", late.access_token)).status, 401);
    } finally {
      mock.timers.reset();
    }
  });

  test("another server on the same store can finish a flow, and a restart loses nothing", async () => {
    const flow = await begin();
    const code = (await agree(served(), flow.authorizationUrl())).searchParams.get("code") ?? "";
    const second = await serve(served().world, { base_url: served().url });
    try {
      const elsewhere = (form: Record<string, string>) =>
        post(`${second.url}/oauth/token`, { client_id: flow.client_id, ...form });
      const exchange = { grant_type: "authorization_code", code, code_verifier: flow.verifier };
      const { status, body } = await elsewhere({ ...exchange, redirect_uri: CALLBACK });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await read(served(), "/v1/schema", body.access_token)).status, 200);
      const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token };
      assert.equal((await elsewhere(refresh)).status, 200);
    } finally {
      await second.stop();
    }
  });

  test("a request can be pushed first, and its request URI works once", async () => {
    const flow = await begin();
    const params = Object.fromEntries(new URL(flow.authorizationUrl()).searchParams);
    const { status, body } = await post(`${served().url}/oauth/par`, params);
    assert.equal(status, 201, JSON.stringify(body));
    const query = new URLSearchParams({ client_id: flow.client_id, request_uri: body.request_uri });
    const url = `${served().url}/oauth/authorize?${query}`;
    const callback = await agree(served(), url);
    assert.equal((await flow.exchange(callback.searchParams.get("code") ?? "")).status, 200);
    const again = await fetch(url, { redirect: "manual" });
    assert.doesNotMatch(again.headers.get("Location") ?? "", /^\/console/);
  });

  test("a separate resource server introspects a token, with a credential from the owner", async () => {
    const { url, world, oauth } = served();
    const flow = await begin();
    const { access_token } = await flow.connect();
    const { client_id, client_secret } = await createIntrospectionCredential(oauth, "archive");
    const basic = { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
    const introspect = async (token: string, headers: Record<string, string> = basic) =>
      post(`${url}/oauth/introspect`, { token }, headers);
    const { body } = await introspect(access_token);
    assert.deepEqual(
      [body.active, body.pdpp_token_kind, body.client_id, body.aud, body.iss],
      [true, "client", flow.client_id, url, url],
    );
    assert.equal(body.authorization_details[0].type, "https://pdpp.dev/data-access");
    assert.equal((await introspect(world.owner)).body.pdpp_token_kind, "owner");
    assert.deepEqual((await introspect("unknown")).body, { active: false });
    const wrong = [
      {},
      { Authorization: `Basic ${btoa(`other:${client_secret}`)}` },
      { Authorization: "Basic x" },
    ];
    for (const headers of wrong) assert.equal((await introspect(access_token, headers)).status, 401);
    await revokeGrant(oauth, (await lastGrant())?.grant_id ?? "");
    assert.deepEqual((await introspect(access_token)).body, { active: false });
  });

  test("an introspection credential is refused once expired or revoked", async () => {
    const { url, world, oauth } = served();
    const introspect = async ({ client_id, client_secret }: Json) => {
      const headers = { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
      return (await post(`${url}/oauth/introspect`, { token: world.owner }, headers)).status;
    };
    const long_ago_ms = Date.parse("2020-01-01T00:00:00Z");
    assert.equal(await introspect(await createIntrospectionCredential(oauth, "late", long_ago_ms)), 401);
    const standing = await createIntrospectionCredential(oauth, "standing");
    assert.equal(await introspect(standing), 200);
    const found = (await listTokens(oauth)).find(({ client_id }) => client_id === "standing");
    await revokeToken(oauth, found?.token_id ?? "");
    assert.equal(await introspect(standing), 401);
    await assert.rejects(revokeToken(oauth, found?.token_id ?? ""), { code: "not_found" });
  });
});

async function listEverything({ store }: { store: Json }): Promise<unknown> {
  const kinds = [
    "AccessToken",
    "AuthorizationCode",
    "AuthorizationCode.unused",
    "Client",
    "DeviceCode",
    "Grant",
    "Interaction",
    "PushedAuthorizationRequest",
    "RefreshToken",
    "RefreshToken.unused",
    "Session",
    "UserCode",
  ];
  return Promise.all(
    kinds.map(async (kind) => ({ kind, states: await store.listState("", `oauth.${kind}`) })),
  );
}
