/** Attacks on a resource server with an external authorization server: forged tokens, and a misbehaving server. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { AUDIENCE, DETAIL, listenOn, openApart } from "./apart.ts";

async function makeKey() {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg: "ES256", use: "sig" };
  return { publicKey, privateKey, jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) } };
}

type Key = Awaited<ReturnType<typeof makeKey>>;

/** An authorization server whose keys a test changes. */
async function openIssuer(t: TestContext, keys: Key[]) {
  const state = { keys, keysPath: "/keys", answersKeys: 200, requests: [] as string[] };
  const issuer = await listenOn(t, (request, response) => {
    const own = `http://${request.headers.host}`;
    state.requests.push(request.url ?? "");
    response.setHeader("Content-Type", "application/json");
    if (!request.url?.startsWith("/.well-known")) response.statusCode = state.answersKeys;
    if (state.answersKeys === 302) response.setHeader("Location", `${own}/elsewhere`);
    const metadata = { issuer: own, jwks_uri: `${own}${state.keysPath}` };
    const isMetadata = request.url?.startsWith("/.well-known");
    response.end(JSON.stringify(isMetadata ? metadata : { keys: state.keys.map(({ jwk }) => jwk) }));
  });
  const claims = (more: object = {}) => {
    const iat = Math.floor(Date.now() / 1000);
    const own = {
      iss: issuer,
      sub: "alice",
      aud: AUDIENCE,
      client_id: "agent",
      jti: "1",
      iat,
      exp: iat + 300,
    };
    return { ...own, authorization_details: [DETAIL], ...more };
  };
  const sign = ({ privateKey, jwk }: Key, more: object = {}, header: object = {}) =>
    new SignJWT(claims(more))
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: jwk.kid, ...header })
      .sign(privateKey);
  return { issuer, state, claims, sign };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("R50 refuses forged tokens: unsigned, signed with the public key as a secret, with embedded keys, or issued in the future", async (t) => {
  const [key, foreign] = [await makeKey(), await makeKey()];
  const { issuer, state, claims, sign } = await openIssuer(t, [key]);
  const apart = await openApart(t, { issuer });
  assert.equal((await apart.read(await sign(key))).status, 200);
  const header = { typ: "at+jwt", kid: key.jwk.kid };
  const unsigned = `${encode({ ...header, alg: "none" })}.${encode(claims())}.`;
  const symmetric = `${encode({ ...header, alg: "HS256" })}.${encode(claims())}`;
  const secret = await exportSPKI(key.publicKey);
  const day_s = 86_400;
  const now_s = Math.floor(Date.now() / 1000);
  const elsewhere = await listenOn(t, (_request, response) =>
    response.end(JSON.stringify({ keys: [foreign.jwk] })),
  );
  const requests = state.requests.length;
  for (const [what, token] of Object.entries({
    unsigned,
    "an odd case of none": unsigned.replace(/^[^.]+/, encode({ ...header, alg: "nOnE" })),
    symmetric: `${symmetric}.${createHmac("sha256", secret).update(symmetric).digest("base64url")}`,
    "another key under its id": await sign(foreign, {}, { kid: key.jwk.kid }),
    "a key in its header": await sign(foreign, {}, { jwk: foreign.jwk, kid: undefined }),
    "an address in its header": await sign(foreign, {}, { jku: `${elsewhere}/keys` }),
    "issued tomorrow": await sign(key, { iat: now_s + day_s, exp: now_s + day_s + 300 }),
    "not yet": await sign(key, { nbf: now_s + day_s }),
    "several audiences, none of them this one": await sign(key, {
      aud: ["https://a.example", "https://b.example"],
    }),
    "an empty audience": await sign(key, { aud: [] }),
    "critical parts that are not understood": await sign(key).then((token) =>
      token.replace(/^[^.]+/, encode({ ...header, alg: "ES256", crit: ["x"], x: 1 })),
    ),
    "claims of another token": `${(await sign(key)).split(".")[0]}.${encode(claims({ jti: "forged" }))}.${(await sign(key)).split(".")[2]}`,
    nonsense: "a.b.c",
  }))
    assert.equal((await apart.read(token)).status, 401, what);
  assert.deepEqual(state.requests.slice(requests), []);
});

test("R85 key rotation: tokens under a new key are accepted, those under a removed one are not, and unknown keys cause no flood", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const [first, second] = [await makeKey(), await makeKey()];
  const { issuer, state, sign } = await openIssuer(t, [first]);
  const apart = await openApart(t, { issuer });
  assert.equal((await apart.read(await sign(first))).status, 200);
  state.keys = [second];
  for (let at = 0; at < 20; at += 1)
    assert.equal((await apart.read(await sign(second, { jti: String(at) }))).status, 401);
  assert.equal(state.requests.filter((path) => path === "/keys").length, 1);
  t.mock.timers.tick(31_000);
  apart.clock.now += 31_000;
  assert.equal((await apart.read(await sign(second))).status, 200);
  assert.equal((await apart.read(await sign(first, { jti: "again" }))).status, 401);
});

test("R85 an authorization server that is down, slow, or refers to foreign keys leads to 503, never a grant or invalid_token", async (t) => {
  const key = await makeKey();
  const { world } = await openApart(t, { issuer: "https://unused.example" });
  for (const status of [500, 302, 404]) {
    const { issuer, state, sign } = await openIssuer(t, [key]);
    state.answersKeys = status;
    const apart = await openApart(t, { issuer }, world);
    const { body } = await apart.read(await sign(key));
    assert.equal(body.error.code, "authorization_server_unavailable", String(status));
    assert.ok(!state.requests.includes("/elsewhere"));
    state.answersKeys = 200;
    // It is retried as soon as allowed.
    assert.equal((await (await openApart(t, { issuer }, world)).read(await sign(key))).status, 200);
  }
  const silent = await listenOn(t, () => undefined);
  const credential = { client_id: "rs", client_secret: "secret" };
  for (const options of [
    { issuer: silent, timeout_ms: 50 },
    { issuer: silent, timeout_ms: 50, credential },
  ]) {
    const { status, body } = await (await openApart(t, options, world)).read("token");
    assert.deepEqual([status, body.error.code], [503, "authorization_server_unavailable"]);
  }
});

test("R50 metadata of another issuer, and plain http addresses, are not used", async (t) => {
  const key = await makeKey();
  const { world } = await openApart(t, { issuer: "https://unused.example" });
  for (const metadata of [
    { issuer: "https://other.example", jwks_uri: "https://other.example/keys" },
    { jwks_uri: "http://169.254.169.254/keys" },
    { jwks_uri: "file:///etc/passwd" },
    { introspection_endpoint: "http://10.0.0.1/introspect" },
    {},
  ]) {
    const issuer = await listenOn(t, (request, response) => {
      const own = `http://${request.headers.host}`;
      response.end(JSON.stringify({ issuer: own, ...metadata }));
    });
    for (const credential of [undefined, { client_id: "rs", client_secret: "secret" }]) {
      const apart = await openApart(t, { issuer, credential, timeout_ms: 500 }, world);
      const { status, body } = await apart.read(`${encode({ alg: "ES256", kid: key.jwk.kid })}.e30.AA`);
      assert.deepEqual(
        [status, body.error.code],
        [503, "authorization_server_unavailable"],
        JSON.stringify(metadata),
      );
    }
  }
});
