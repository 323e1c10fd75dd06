/** Attacks on the authorization server: each is refused. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { Browser } from "../../testing/oauth/browser.ts";
import {
  agree,
  approve,
  ask,
  CALLBACK,
  Flow,
  onEveryServer,
  post,
  read,
  register,
  serve,
} from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

onEveryServer((served) => {
  const begin = async (metadata?: object) => new Flow(served(), await register(served(), metadata));
  const refusalOf = async (url: string): Promise<URLSearchParams> =>
    (await new Browser().follow(url)).searchParams;

  test("a code works once: a replay ends everything issued from it", async () => {
    const flow = await begin();
    const callback = await agree(served(), flow.authorizationUrl());
    const code = callback.searchParams.get("code") ?? "";
    const { body } = await flow.exchange(code);
    assert.equal((await read(served(), "/v1/schema", body.access_token)).status, 200);
    const again = await flow.exchange(code);
    assert.deepEqual([again.status, again.body.error], [400, "invalid_grant"]);
    assert.equal((await read(served(), "/v1/schema", body.access_token)).status, 401);
    assert.equal((await flow.refresh(body.refresh_token)).body.error, "invalid_grant");
  });

  test("of two concurrent uses of one code, at most one gets a token, and it is void", async () => {
    const flow = await begin();
    const code = (await agree(served(), flow.authorizationUrl())).searchParams.get("code") ?? "";
    const answers = await Promise.all([flow.exchange(code), flow.exchange(code), flow.exchange(code)]);
    const given = answers.filter(({ status }) => status === 200);
    assert.ok(given.length <= 1, `${given.length} tokens for one code`);
    for (const { body } of given) {
      assert.notEqual((await read(served(), "/v1/schema", body.access_token)).status, 200);
    }
  });

  test("PKCE cannot be omitted, weakened or guessed", async () => {
    const flow = await begin();
    const without = await refusalOf(
      flow.authorizationUrl({ code_challenge: undefined, code_challenge_method: undefined }),
    );
    assert.equal(without.get("error"), "invalid_request");
    const plain = await refusalOf(flow.authorizationUrl({ code_challenge_method: "plain" }));
    assert.equal(plain.get("error"), "invalid_request");
    const code = (await agree(served(), flow.authorizationUrl())).searchParams.get("code") ?? "";
    const guessed = await flow.exchange(code, { code_verifier: "x".repeat(43) });
    assert.equal(guessed.body.error, "invalid_grant");
  });

  test("a browser is never redirected to a URI that the client did not register", async () => {
    const flow = await begin();
    const elsewhere = [
      "https://evil.example/callback",
      "http://127.0.0.1:7/other",
      "http://127.0.0.1:7/callback/../evil",
      "http://127.0.0.1:7@evil.example/callback",
      "http://localhost:7/callback",
      "//evil.example",
      "javascript:alert(1)",
    ];
    for (const redirect_uri of elsewhere) {
      const answer = await new Browser().open(flow.authorizationUrl({ redirect_uri }));
      assert.deepEqual([answer.status, answer.headers.get("Location")], [400, null], redirect_uri);
      assert.match(answer.headers.get("Content-Type") ?? "", /^text\/plain/);
    }
  });

  test("a loopback client may use any port (RFC 8252), and gets its code only there", async () => {
    const flow = await begin();
    const redirect_uri = "http://127.0.0.1:61234/callback";
    const callback = await agree(served(), flow.authorizationUrl({ redirect_uri }));
    assert.equal(callback.origin, "http://127.0.0.1:61234");
    const code = callback.searchParams.get("code") ?? "";
    assert.equal((await flow.exchange(code, { redirect_uri: CALLBACK })).body.error, "invalid_grant");
    assert.equal((await flow.exchange(code, { redirect_uri })).status, 200);
  });

  test("every authorization response names its issuer (RFC 9207), against mix-up attacks", async () => {
    const flow = await begin();
    const callback = await agree(served(), flow.authorizationUrl());
    assert.equal(callback.searchParams.get("iss"), served().url);
    assert.equal(callback.searchParams.get("state"), "state-1");
    assert.equal((await refusalOf(flow.authorizationUrl({ prompt: "none" }))).get("iss"), served().url);
  });

  test("another client cannot use a code", async () => {
    const flow = await begin();
    const other = new Flow(served(), await register(served()));
    const code = (await agree(served(), flow.authorizationUrl())).searchParams.get("code") ?? "";
    const stolen = await other.exchange(code, { code_verifier: flow.verifier });
    assert.equal(stolen.body.error, "invalid_grant");
  });

  test("a refresh token works once: a replay ends the whole family", async () => {
    const flow = await begin();
    const first = await flow.connect();
    const { body: second } = await flow.refresh(first.refresh_token);
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.equal((await read(served(), "/v1/schema", second.access_token)).status, 200);
    assert.equal((await flow.refresh(first.refresh_token)).body.error, "invalid_grant");
    for (const { access_token } of [first, second]) {
      assert.equal((await read(served(), "/v1/schema", access_token)).status, 401);
    }
    assert.equal((await flow.refresh(second.refresh_token)).body.error, "invalid_grant");
  });

  test("of two concurrent uses of one refresh token, at most one gets a token, and it is void", async () => {
    const flow = await begin();
    const { refresh_token } = await flow.connect();
    const answers = await Promise.all([1, 2, 3].map(() => flow.refresh(refresh_token)));
    const given = answers.filter(({ status }) => status === 200);
    assert.ok(given.length <= 1, `${given.length} tokens`);
    for (const { body } of given) {
      assert.notEqual((await read(served(), "/v1/schema", body.access_token)).status, 200);
    }
  });

  test("a token in a URL is ignored", async () => {
    const { access_token } = await (await begin()).connect();
    for (const path of ["/v1/schema", "/mcp"]) {
      const answer = await fetch(`${served().url}${path}?access_token=${access_token}`);
      assert.equal(answer.status, 401, path);
    }
  });

  test("a token for one server is refused by another on the same store", async () => {
    const other = await serve(served().world);
    try {
      const { access_token } = await (await begin()).connect();
      assert.equal((await read(served(), "/v1/schema", access_token)).status, 200);
      for (const path of ["/v1/schema", "/mcp"]) {
        for (const { url } of [served(), other]) {
          const headers = { Authorization: `Bearer ${access_token}`, Host: new URL(url).host };
          assert.equal(await statusOf(other.url + path, headers), 401, path);
        }
      }
    } finally {
      await other.stop();
    }
  });

  test("a token can be requested only for this server", async () => {
    const flow = await begin();
    const { port } = new URL(served().url);
    const foreign = [
      "https://evil.example/mcp",
      `http://127.0.0.1:${Number(port) + 1}/mcp`,
      `${served().url}/x`,
    ];
    for (const resource of foreign) {
      assert.equal(
        (await refusalOf(flow.authorizationUrl({ resource }))).get("error"),
        "invalid_target",
        resource,
      );
    }
    const localhost = `http://localhost:${port}/mcp`;
    const { access_token } = await flow.connect({ resource: localhost });
    assert.equal((await read(served(), "/v1/schema", access_token)).status, 200);
  });

  test("a foreign Host or Origin is refused at every endpoint of the authorization server", async () => {
    const { url } = served();
    assert.equal(await statusOf(`${url}/oauth/authorize`, { Host: "evil.example" }), 403);
    const paths = [
      "/oauth/authorize",
      "/oauth/token",
      "/oauth/register",
      "/.well-known/oauth-authorization-server",
    ];
    for (const path of paths) {
      const method = /token|register/.test(path) ? "POST" : "GET";
      const answer = await fetch(url + path, { method, headers: { Origin: "https://evil.example" } });
      const { error } = (await answer.json()) as Json;
      assert.deepEqual([answer.status, error.code], [403, "origin_not_allowed"], path);
    }
  });

  test("URLs in responses use the issuer's host, whatever the request says", async () => {
    const { url } = served();
    const { port } = new URL(url);
    const headers = {
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
      Forwarded: "host=evil.example",
    };
    const place = `http://localhost:${port}/.well-known/oauth-authorization-server`;
    const metadata = (await (await fetch(place, { headers })).json()) as Json;
    assert.equal(metadata.issuer, url);
    assert.equal(metadata.token_endpoint, `${url}/oauth/token`);
  });

  test("approval in another browser than the one that started the request grants nothing", async () => {
    const flow = await begin();
    const attacker = new Browser();
    const uid = await ask(flow.authorizationUrl(), attacker);
    const owner = new Browser();
    assert.equal((await owner.open(`${served().url}/console/consent/${uid}`)).status, 404);
    const resume = await approve(served(), uid);
    assert.equal((await owner.open(resume)).status, 400);
  });

  test("an ended token gets a challenge, and no client learns anything about other clients' tokens", async () => {
    const flow = await begin();
    const other = await begin();
    const { access_token, refresh_token } = await flow.connect();
    const revoke = (client_id: string, token: string) =>
      post(`${served().url}/oauth/revoke`, { client_id, token });
    assert.equal((await revoke(other.client_id, access_token)).status, 200);
    assert.equal((await read(served(), "/v1/schema", access_token)).status, 200);
    assert.equal((await revoke(flow.client_id, refresh_token)).status, 200);
    const answer = await read(served(), "/v1/schema", access_token);
    assert.match(answer.headers.get("WWW-Authenticate") ?? "", /resource_metadata=.*error="invalid_token"/);
  });
});

/** Sends headers that `fetch` would set itself. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const [answer] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  return answer.resume().statusCode;
}
