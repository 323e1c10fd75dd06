/** Key-bound tokens work only with proofs of the key (DPoP, RFC 9449), tested with a real client library. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { createIntrospectionCredential, revokeGrant } from "@rungs/server";
import {
  calculateJwkThumbprint,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  SignJWT,
} from "jose";
import * as oauth from "oauth4webapi";
import { openApp } from "rungs/internal/open-app";
import { agree, CALLBACK, Flow, onEveryServer, post, register } from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

const INSECURE = { [oauth.allowInsecureRequests]: true };

onEveryServer((served) => {
  /** Connects as a client with a key. */
  async function connect() {
    const { url } = served();
    const issuer = new URL(url);
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const client: oauth.Client = { client_id: await register(served()) };
    const keys = await generateKeyPair("ES256", { extractable: true });
    const DPoP = oauth.DPoP(client, keys);
    const flow = new Flow(served(), client.client_id);
    const callback = await agree(served(), flow.authorizationUrl());
    const params = oauth.validateAuthResponse(server, client, callback, "state-1");
    const exchange = async () => {
      const more = { DPoP, ...INSECURE };
      const { verifier } = flow;
      const given = [server, client, oauth.None(), params, CALLBACK, verifier, more] as const;
      const answer = await oauth.authorizationCodeGrantRequest(...given);
      return oauth.processAuthorizationCodeResponse(server, client, answer);
    };
    // The first answer names the nonce, which the client keeps (RFC 9449 §8).
    const tokens = await exchange().catch((error: unknown) => {
      assert.ok(oauth.isDPoPNonceError(error), String(error));
      return exchange();
    });
    return { server, client, keys, DPoP, tokens };
  }

  /** The nonce that the server demands from a proof without one. */
  async function askNonce(
    { keys, tokens }: Pick<Awaited<ReturnType<typeof connect>>, "keys" | "tokens">,
    path = "/v1/schema",
    method = "GET",
  ): Promise<string> {
    const htu = served().url + path;
    const ath = createHash("sha256").update(tokens.access_token).digest("base64url");
    const DPoP = await sign(keys, { htm: method, htu, ath });
    const headers = { Authorization: `DPoP ${tokens.access_token}`, DPoP };
    const answer = await fetch(htu, { method, headers });
    assert.equal(answer.status, 401);
    const challenge = answer.headers.get("WWW-Authenticate") ?? "";
    assert.match(challenge, /^DPoP algs="ES256 [\w ]+", error="use_dpop_nonce", Bearer realm/);
    return answer.headers.get("DPoP-Nonce") ?? "";
  }

  const call = (token: string, path: string, DPoP?: oauth.DPoPHandle) =>
    oauth
      .protectedResourceRequest(token, "GET", new URL(served().url + path), undefined, null, {
        ...(DPoP && { DPoP }),
        ...INSECURE,
      })
      .catch((error: unknown) => (error as { response: Response }).response);

  async function sign(
    { publicKey, privateKey }: GenerateKeyPairResult,
    claims: Record<string, unknown>,
    typ = "dpop+jwt",
  ): Promise<string> {
    return new SignJWT({ jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims })
      .setProtectedHeader({ alg: "ES256", typ, jwk: await exportJWK(publicKey) })
      .sign(privateKey);
  }

  test("R50 a client with a key reads and refreshes; the metadata says that it may", async () => {
    const { server, client, DPoP, tokens } = await connect();
    assert.equal(tokens.token_type, "dpop");
    assert.ok(server.dpop_signing_alg_values_supported?.includes("ES256"));
    const place = `${served().url}/.well-known/oauth-protected-resource`;
    const resource = (await (await fetch(place)).json()) as Json;
    assert.ok(resource.dpop_signing_alg_values_supported.includes("ES256"));
    assert.equal((await call(tokens.access_token, "/v1/schema", DPoP)).status, 200);
    assert.equal((await call(tokens.access_token, "/v1/search?q=tea", DPoP)).status, 200);
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? "", {
        DPoP,
        ...INSECURE,
      }),
    );
    assert.equal((await call(refreshed.access_token, "/v1/schema", DPoP)).status, 200);
    assert.equal((await call(tokens.access_token, "/v1/schema", DPoP)).status, 401, "the former one ended");
  });

  test("R53 a bound token does not work as a bearer token, with another key, or refresh without its key", async () => {
    const { client, tokens } = await connect();
    assert.equal((await call(tokens.access_token, "/v1/schema")).status, 401);
    const other = oauth.DPoP(client, await generateKeyPair("ES256"));
    assert.equal((await call(tokens.access_token, "/v1/schema", other)).status, 401);
    const stolen = await post(`${served().url}/oauth/token`, {
      grant_type: "refresh_token",
      client_id: client.client_id,
      refresh_token: tokens.refresh_token ?? "",
    });
    assert.deepEqual([stolen.status, stolen.body.error], [400, "invalid_grant"]);
  });

  test("an unbound token is refused with a proof, and still works without", async () => {
    const flow = new Flow(served(), await register(served()));
    const { access_token } = await flow.connect();
    const DPoP = oauth.DPoP({}, await generateKeyPair("ES256"));
    assert.equal((await call(access_token, "/v1/schema", DPoP)).status, 401);
    assert.equal((await call(access_token, "/v1/schema")).status, 200);
  });

  test("a proof is valid for one method, address, token and time, and works once", async () => {
    const { keys, tokens } = await connect();
    const htu = `${served().url}/v1/schema`;
    const ath = createHash("sha256").update(tokens.access_token).digest("base64url");
    const nonce = await askNonce({ keys, tokens });
    const good = { htm: "GET", htu, ath, nonce };
    const send = async (proof: string | undefined) => {
      const headers = {
        Authorization: `DPoP ${tokens.access_token}`,
        ...(proof === undefined ? {} : { DPoP: proof }),
      };
      return (await fetch(htu, { headers })).status;
    };
    const proof = await sign(keys, good);
    assert.deepEqual([await send(proof), await send(proof)], [200, 401]);
    assert.equal(await send(await sign(keys, { ...good, htu: `${htu}?stream=notes#x` })), 200);
    const now = Math.floor(Date.now() / 1000);
    const wrong: Readonly<Record<string, string | undefined>> = {
      "no proof": undefined,
      "not a proof": "abc",
      "another method": await sign(keys, { ...good, htm: "POST" }),
      "another address": await sign(keys, { ...good, htu: `${served().url}/v1/search` }),
      "another host": await sign(keys, { ...good, htu: "http://example.com/v1/schema" }),
      "not an address": await sign(keys, { ...good, htu: "schema" }),
      "another token": await sign(keys, { ...good, ath: createHash("sha256").digest("base64url") }),
      "no token": await sign(keys, { htm: "GET", htu, nonce }),
      "no nonce": await sign(keys, { htm: "GET", htu, ath }),
      "another nonce": await sign(keys, { ...good, nonce: `${nonce.slice(1)}A` }),
      "not a nonce": await sign(keys, { ...good, nonce: 7 }),
      old: await sign(keys, { ...good, iat: now - 300 }),
      future: await sign(keys, { ...good, iat: now + 300 }),
      "no jti": await sign(keys, { ...good, jti: "" }),
      "another type": await sign(keys, good, "JWT"),
      "another key": await sign(await generateKeyPair("ES256", { extractable: true }), good),
      "a changed signature": `${(await sign(keys, good)).slice(0, -4)}AAAA`,
      long: `${await sign(keys, good)}${"A".repeat(5_000)}`,
    };
    for (const [name, each] of Object.entries(wrong)) assert.equal(await send(each), 401, name);
  });

  test("R53 a proof used on one server process is refused by another, and nonces work on both", async () => {
    const { keys, tokens } = await connect();
    const { url, world } = served();
    const other = await openApp(world.store, { url });
    const htu = `${url}/v1/schema`;
    const ath = createHash("sha256").update(tokens.access_token).digest("base64url");
    const nonce = await askNonce({ keys, tokens });
    const write = async () => ({
      Authorization: `DPoP ${tokens.access_token}`,
      DPoP: await sign(keys, { htm: "GET", htu, ath, nonce }),
    });
    const headers = await write();
    assert.equal((await fetch(htu, { headers })).status, 200);
    assert.equal((await other.app.fetch(new Request(htu, { headers }))).status, 401);
    assert.equal((await other.app.fetch(new Request(htu, { headers: await write() }))).status, 200);
  });

  test("R50 /mcp takes a bound token with its proof, and reads under it", async () => {
    const { keys, tokens } = await connect();
    const htu = `${served().url}/mcp`;
    const ath = createHash("sha256").update(tokens.access_token).digest("base64url");
    const nonce = await askNonce({ keys, tokens }, "/mcp", "POST");
    const ask = async (scheme: string) => {
      const headers = {
        Authorization: `${scheme} ${tokens.access_token}`,
        DPoP: await sign(keys, { htm: "POST", htu, ath, nonce }),
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      };
      const params = { name: "schema", arguments: {} };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return fetch(htu, { method: "POST", headers, body });
    };
    const challenge = (await fetch(htu, { method: "POST" })).headers.get("WWW-Authenticate") ?? "";
    assert.match(
      challenge,
      /resource_metadata="[^"]+\/oauth-protected-resource\/mcp", DPoP algs="ES256 [\w ]+"$/,
    );
    const answer = await ask("DPoP");
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /home\/notes|"notes"/);
    assert.equal((await ask("Bearer")).status, 401);
  });

  test("R52 revocation ends a bound token, and introspection names its key", async () => {
    const { keys, DPoP, tokens } = await connect();
    const { world, url } = served();
    const owner = { ...world, now: Date.now };
    const { client_id, client_secret } = await createIntrospectionCredential(owner, "separate");
    const Authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`;
    const introspect = () =>
      post(`${url}/oauth/introspect`, { token: tokens.access_token }, { Authorization });
    const { body } = await introspect();
    assert.deepEqual(
      [body.active, body.token_type, body.cnf?.jkt],
      [true, "DPoP", await calculateJwkThumbprint(await exportJWK(keys.publicKey))],
    );
    const grants = await world.store.listGrants(world.owner_id);
    const last = grants.toSorted((a, b) => b.grant.issued_at.localeCompare(a.grant.issued_at))[0];
    await revokeGrant(owner, last?.grant.grant_id ?? "");
    assert.equal((await call(tokens.access_token, "/v1/schema", DPoP)).status, 403);
    assert.equal((await introspect()).body.active, false);
  });
});
