/** A resource server apart from its authorization server: Rungs' own in another process, and an independent one. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { revokeGrant } from "@rungs/server";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import { Provider } from "oidc-provider";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome } from "../../testing/cli/notes-home.ts";
import { type Env, start } from "../../testing/cli/program.ts";
import type { Json } from "../../testing/world.ts";
import { AUDIENCE, DETAIL, listenOn, openApart } from "./apart.ts";

/** Serves a home in another process until the test ends. */
async function serveHome(t: TestContext, env: Env, ...argv: string[]): Promise<string> {
  const program = start(["serve", "--port", "0", "--json", ...argv], env);
  t.after(() => program.kill());
  let [out, err] = ["", ""];
  program.stderr.on("data", (chunk) => (err += chunk));
  return new Promise((resolve, reject) => {
    program.on("close", () => reject(new Error(err)));
    program.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("\n")) resolve(JSON.parse(out).url);
    });
  });
}

const ask = (url: string, token: string) =>
  fetch(url, { headers: { Authorization: `Bearer ${token}`, "PDPP-Version": "2026-07-01" } });

test("R85 a resource server reads grants from Rungs' authorization server in another process, by introspection", async (t) => {
  const issuing = await createNotesHome();
  const reading = await createNotesHome();
  t.after(() => issuing.remove());
  t.after(() => reading.remove());
  const { RUNGS_HOME = "", RUNGS_TOKEN = "" } = issuing.env;
  const made = await rungsHere(["token", "introspection", "resources", "--json"], { RUNGS_HOME });
  const { client_id, client_secret } = JSON.parse(made.out);
  const issuer = await serveHome(t, { RUNGS_HOME });
  const introspection = await fetch(`${issuer}/oauth/introspect`, {
    method: "POST",
    headers: {
      Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`,
      "Content-Type": "application/x-www-form-urlencoded",
    },
    body: `token=${RUNGS_TOKEN}`,
  });
  const { subject_id } = (await introspection.json()) as Json;
  const own = { RUNGS_HOME: reading.env.RUNGS_HOME ?? "" };
  const url = await serveHome(
    t,
    { ...own, RUNGS_INTROSPECTION: `${client_id}:${client_secret}` },
    "--authorization-server",
    issuer,
    "--subject",
    subject_id,
  );
  const metadata = (await (await fetch(`${url}/.well-known/oauth-protected-resource`)).json()) as Json;
  assert.deepEqual(metadata.authorization_servers, [issuer]);
  const answer = await ask(`${url}/v1/streams/notes/records?connection_id=notes&limit=1`, RUNGS_TOKEN);
  const page = (await answer.json()) as Json;
  assert.equal(answer.status, 200, JSON.stringify(page));
  assert.equal(page.data.length, 1);
  const mcp = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${RUNGS_TOKEN}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  assert.equal(mcp.status, 200, await mcp.text());
  // Refuses its own client tokens, and tokens that the other server does not know.
  for (const token of [reading.env.RUNGS_TOKEN ?? "", "nothing"])
    assert.equal((await ask(`${url}/v1/schema`, token)).status, 401);
  const owner = JSON.parse((await rungsHere(["token", "owner", "--json"], own)).out).token;
  assert.equal((await ask(`${url}/v1/schema`, owner)).status, 200);
});

test("R85 a resource server takes JWT access tokens of an independent authorization server (RFC 9068)", async (t) => {
  let handle: ReturnType<Provider["callback"]> | undefined;
  const issuer = await listenOn(t, (request, response) => void handle?.(request, response));
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "agent",
        client_secret: "secret",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    formats: {
      customizers: {
        jwt(_ctx, _token, jwt) {
          Object.assign(jwt.payload, { sub: "alice", authorization_details: [DETAIL] });
        },
      },
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: "read",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 300,
        }),
      },
    },
  });
  handle = provider.callback();
  const issue = async (resource: string) => {
    const body = new URLSearchParams({ grant_type: "client_credentials", resource });
    const Authorization = `Basic ${Buffer.from("agent:secret").toString("base64")}`;
    const answer = await fetch(`${issuer}/token`, { method: "POST", body, headers: { Authorization } });
    return ((await answer.json()) as Json).access_token as string;
  };
  const apart = await openApart(t, { issuer });
  const token = await issue(AUDIENCE);
  const { status, body } = await apart.read(token);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.data.title, "Note 1 home");
  assert.equal("secret" in body.data, false);
  assert.equal(
    (await apart.read(token, "/v1/streams/shelves/records")).body.error.code,
    "grant_stream_not_allowed",
  );
  assert.equal((await apart.read(await issue("https://elsewhere.example"))).status, 401);
  assert.equal((await apart.read(`${token.slice(0, -8)}AAAAAAAA`)).status, 401);
  apart.clock.now += 301_000;
  assert.equal((await apart.read(token)).status, 401);
});

test("R50 a JWT with any defect, and a grant with any unknown member, are refused", async (t) => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg: "ES256", use: "sig" };
  const kid = await calculateJwkThumbprint(jwk);
  const issuer = await listenOn(t, (request, response) => {
    const own = `http://${request.headers.host}`;
    response.setHeader("Content-Type", "application/json");
    const isKeys = request.url === "/keys";
    response.end(
      JSON.stringify(isKeys ? { keys: [{ ...jwk, kid }] } : { issuer: own, jwks_uri: `${own}/keys` }),
    );
  });
  const apart = await openApart(t, { issuer });
  const sign = (claims: object, header: object = {}, key = privateKey) => {
    const iat = Math.floor(Date.now() / 1000);
    const whole = {
      iss: issuer,
      sub: "alice",
      aud: AUDIENCE,
      client_id: "agent",
      jti: "1",
      iat,
      exp: iat + 300,
      authorization_details: [DETAIL],
      ...claims,
    };
    return new SignJWT(whole).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header }).sign(key);
  };
  assert.equal((await apart.read(await sign({}))).status, 200);
  const iat = Math.floor(Date.now() / 1000);
  const foreign = (await generateKeyPair("ES256")).privateKey;
  for (const [what, token] of Object.entries({
    subject: await sign({ sub: "mallory" }),
    issuer: await sign({ iss: "https://other.example" }),
    audience: await sign({ aud: "https://other.example" }),
    lifetime: await sign({ exp: iat + 86_400 }),
    expired: await sign({ iat: iat - 600, exp: iat - 1 }),
    kind: await sign({ pdpp_token_kind: "admin" }),
    type: await sign({}, { typ: "JWT" }),
    key: await sign({}, {}, foreign),
    bound: await sign({ cnf: { jkt: "x" } }),
    missing: await sign({ jti: undefined }),
  }))
    assert.equal((await apart.read(token)).status, 401, what);
  const [stream] = DETAIL.streams;
  for (const detail of [
    { ...DETAIL, only_on_sundays: true },
    { ...DETAIL, streams: [{ ...stream, at_most: 3 }] },
    { ...DETAIL, streams: [{ name: "notes", fields: ["id"] }] },
    "everything",
  ]) {
    const { status, body } = await apart.read(await sign({ authorization_details: [detail] }));
    assert.deepEqual([status, body.error.code], [403, "grant_invalid"], JSON.stringify(detail));
  }
});

test("R52 a revocation at the authorization server takes effect within ten seconds, a local one at once", async (t) => {
  const state = { active: true, requests: 0, broken: false };
  const issuer = await listenOn(t, (request, response) => {
    const own = `http://${request.headers.host}`;
    if (state.broken) return void response.writeHead(500).end();
    response.setHeader("Content-Type", "application/json");
    if (request.url !== "/introspect")
      return void response.end(JSON.stringify({ issuer: own, introspection_endpoint: `${own}/introspect` }));
    state.requests += 1;
    const claims = {
      active: true,
      pdpp_token_kind: "client",
      subject_id: "alice",
      client_id: "agent",
      grant_id: "grant-1",
      authorization_details: [DETAIL],
    };
    response.end(JSON.stringify(state.active ? claims : { active: false }));
  });
  const credential = { client_id: "rs", client_secret: "secret" };
  const apart = await openApart(t, { issuer, credential });
  assert.deepEqual(
    (await Promise.all([apart.read("t1"), apart.read("t1"), apart.read("t1")])).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(state.requests, 1);
  state.active = false;
  apart.clock.now += 9_000;
  assert.equal((await apart.read("t1")).status, 200);
  apart.clock.now += 1_001;
  assert.equal((await apart.read("t1")).status, 401);
  state.active = true;
  assert.equal((await apart.read("t1")).status, 200);
  state.broken = true;
  apart.clock.now += 10_001;
  const { status, body } = await apart.read("t1");
  assert.deepEqual([status, body.error.code], [503, "authorization_server_unavailable"]);
  state.broken = false;
  const { store, owner_id } = apart.world;
  await revokeGrant({ store, owner_id, now: () => apart.clock.now }, "grant-1");
  assert.equal((await apart.read("t1")).body.error.code, "grant_revoked");
});
