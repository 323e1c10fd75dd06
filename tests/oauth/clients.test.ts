/** Clients that register, and clients that publish a metadata document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Browser } from "../../testing/oauth/browser.ts";
import { ask, CALLBACK, Flow, onEveryServer, post, register } from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

onEveryServer((served) => {
  test("a client's name is data: one line, bounded, and inert", async () => {
    const client_name = `<script>alert(1)</script>\n\u202eevil ${"x".repeat(500)}`;
    const flow = new Flow(served(), await register(served(), { client_name }));
    const uid = await ask(flow.authorizationUrl());
    const view = await served().oauth.consents.view(uid);
    assert.match(view?.client.name ?? "", /^<script>alert\(1\)<\/script> \\u\{202e\}evil x+$/);
    assert.ok((view?.client.name.length ?? 0) <= 80);
    assert.equal(view?.client.is_verified, false);
  });

  test("R85 client_display in a request names a client without a registered name, and nothing in it is fetched", async () => {
    const display = {
      name: `Concert\n\u202eFinder ${"x".repeat(200)}`,
      uri: "https://concerts.example",
      logo_uri: "http://127.0.0.1:9/logo.png",
      policy_uri: "https://concerts.example/privacy",
    };
    const view = async (client_id: string, client_display?: object) => {
      const text = client_display && JSON.stringify(client_display);
      const uid = await ask(new Flow(served(), client_id).authorizationUrl({ client_display: text }));
      return (await served().oauth.consents.view(uid))?.client;
    };
    const named = await register(served(), { client_name: "Registered" });
    const nameless = await register(served(), { client_name: undefined });
    const first = await view(nameless, display);
    assert.match(first?.name ?? "", /^Concert \\u\{202e\}Finder x+$/);
    assert.deepEqual(
      [first?.named_by, first?.is_verified, first?.policies],
      ["request", false, ["https://concerts.example/privacy"]],
    );
    const second = await view(named, display);
    assert.deepEqual([second?.name, second?.named_by], ["Registered", "client"]);
    const third = await view(nameless);
    assert.deepEqual([third?.name, third?.named_by], [nameless, "nobody"]);
    for (const wrong of [
      {},
      { name: "" },
      { name: "A", uri: "javascript:alert(1)" },
      { name: "A", more: 1 },
      [],
    ]) {
      const form = { client_id: named, client_display: JSON.stringify(wrong) };
      const url = new URL(new Flow(served(), named).authorizationUrl(form));
      const pushed = await post(`${served().url}/oauth/par`, Object.fromEntries(url.searchParams));
      assert.deepEqual([pushed.status, pushed.body.error], [400, "invalid_request"], JSON.stringify(wrong));
      assert.match(pushed.body.error_description, /^client_display/);
    }
  });

  test("a client with a custom scheme cannot show a foreign host as the redirect target", async () => {
    for (const redirect_uri of ["com.evil.app://claude.ai/cb", "evil://localhost/cb"]) {
      const flow = new Flow(served(), await register(served(), { redirect_uris: [redirect_uri] }));
      const view = await served().oauth.consents.view(await ask(flow.authorizationUrl({ redirect_uri })));
      assert.equal(view?.client.redirect_host, new URL(redirect_uri).protocol);
    }
  });

  test("clients register as public clients, with redirect URIs and no URLs to fetch", async () => {
    const refused = [
      ["http://evil.example/cb"],
      ["javascript:alert(1)"],
      ["data:text/html,x"],
      ["https://a.example/#x"],
      [],
    ];
    for (const redirect_uris of refused) {
      const body = JSON.stringify({ redirect_uris });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${served().url}/oauth/register`, { method: "POST", headers, body });
      assert.equal(answer.status, 400, JSON.stringify(redirect_uris));
    }
    const metadata = {
      redirect_uris: [CALLBACK],
      logo_uri: "http://127.0.0.1/logo.png",
      jwks_uri: "http://127.0.0.1/jwks",
      sector_identifier_uri: "https://127.0.0.1/sector",
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["authorization_code", "refresh_token", "client_credentials", "password"],
      scope: "openid email everything",
    };
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify(metadata);
    const answer = await fetch(`${served().url}/oauth/register`, { method: "POST", headers, body });
    const client = (await answer.json()) as Json;
    assert.equal(answer.status, 201, JSON.stringify(client));
    assert.deepEqual(
      [client.token_endpoint_auth_method, client.grant_types, client.client_secret],
      ["none", ["authorization_code", "refresh_token"], undefined],
    );
    for (const name of ["logo_uri", "jwks_uri", "sector_identifier_uri", "scope"]) {
      assert.equal(client[name], undefined, name);
    }
  });
});

onEveryServer(
  (served) => {
    const body = JSON.stringify({ redirect_uris: [CALLBACK] });
    const send = (address: string, path = "/oauth/register") => {
      const headers = { "Content-Type": "application/json", "X-Forwarded-For": `198.51.100.1, ${address}` };
      return fetch(served().url + path, { method: "POST", headers, body });
    };

    test("R57 registration and the token endpoint are rate-limited by address", async () => {
      for (const [path, status, burst] of [
        ["/oauth/register", 201, 30],
        ["/oauth/token", 400, 60],
      ] as const) {
        const statuses = [];
        for (let count = 0; count < burst + 5; count += 1)
          statuses.push((await send("203.0.113.5", path)).status);
        assert.equal(statuses.at(0), status);
        assert.equal(statuses.at(-1), 429);
        assert.equal((await send("203.0.113.6", path)).status, status);
      }
    });

    test("R57 the oldest registrations that the owner never approved are evicted", async () => {
      const { store } = served().world;
      const listClients = async () => (await store.listState("", "oauth.Client")).length;
      const used = new Flow(served(), await register(served()));
      const { refresh_token } = await used.connect();
      const unused = new Flow(served(), await register(served()));
      for (let count = 0; count < 210; count += 1) await send(`192.0.2.${count}`);
      assert.equal(await listClients(), 201);
      assert.equal((await used.refresh(refresh_token)).status, 200);
      const refused = await fetch(unused.authorizationUrl(), { redirect: "manual" });
      assert.equal(refused.status, 400);
    });
  },
  { behind_proxy: true },
);

const CLIENT_ID = "https://agent.example/client.json";
const documents = new Map<string, () => Response>();
let fetched = 0;

/** Fakes the servers on which clients publish, since tests use no network. */
async function fetchDocument(url: string | URL | Request): Promise<Response> {
  fetched += 1;
  return documents.get(String(url))?.() ?? new Response("nothing", { status: 404 });
}

function publish(client_id: string, metadata: object = {}): void {
  const client_name = "Published agent";
  const document = { client_id, client_name, redirect_uris: ["https://agent.example/callback"], ...metadata };
  documents.set(client_id, () => Response.json(document));
}

onEveryServer(
  (served) => {
    const open = (client_id: string, redirect_uri = "https://agent.example/callback") =>
      new Browser().open(new Flow(served(), client_id).authorizationUrl({ redirect_uri }));

    test("a client whose id is the URL of its metadata document needs no registration, and has proven that URL", async () => {
      publish(CLIENT_ID);
      const flow = new Flow(served(), CLIENT_ID);
      const redirect_uri = "https://agent.example/callback";
      const uid = await ask(flow.authorizationUrl({ redirect_uri }));
      const view = await served().oauth.consents.view(uid);
      assert.deepEqual(view?.client, {
        client_id: CLIENT_ID,
        name: "Published agent",
        named_by: "client",
        policies: [],
        is_verified: true,
        redirect_host: "agent.example",
        is_loopback: false,
      });
    });

    test("a client that redirects to loopback has proven nothing: any program can listen there", async () => {
      const client_id = "https://agent.example/local.json";
      publish(client_id, { redirect_uris: [CALLBACK] });
      const uid = await ask(new Flow(served(), client_id).authorizationUrl());
      const { client } = (await served().oauth.consents.view(uid)) ?? {};
      assert.deepEqual([client?.is_verified, client?.is_loopback], [false, true]);
    });

    test("a metadata document is accepted only with its own URL, without a secret, in one response of bounded size", async () => {
      const bad: Record<string, () => Response> = {
        "https://agent.example/other-id.json": () =>
          Response.json({ client_id: CLIENT_ID, redirect_uris: [CALLBACK] }),
        "https://agent.example/moved.json": () => Response.redirect("https://agent.example/client.json"),
        "https://agent.example/large.json": () => new Response(`{"client_id":"${"x".repeat(20_000)}"}`),
        "https://agent.example/text.json": () => new Response("no JSON"),
        "https://agent.example/missing.json": () => new Response("", { status: 404 }),
        "https://agent.example/secret.json": () =>
          Response.json({
            client_id: "https://agent.example/secret.json",
            client_secret: "x",
            redirect_uris: ["https://agent.example/callback"],
          }),
      };
      for (const [client_id, answer] of Object.entries(bad)) {
        documents.set(client_id, answer);
        const refused = await open(client_id);
        assert.deepEqual([refused.status >= 400, refused.headers.get("Location")], [true, null], client_id);
      }
    });

    test("a client id with a misleading URL is refused", async () => {
      const before = fetched;
      for (const client_id of [
        "https://claude.ai%2eagent.example/client.json",
        "https://AGENT.example/client.json",
        "https://agent.example:443/client.json",
      ]) {
        publish(client_id);
        const refused = await open(client_id);
        assert.deepEqual([refused.status, refused.headers.get("Location")], [400, null], client_id);
      }
      assert.equal(fetched, before);
    });

    test("no document is fetched over plain http, and fetches are rate-limited", async () => {
      const before = fetched;
      assert.ok((await open("http://agent.example/client.json")).status >= 400);
      assert.equal(fetched, before);
      for (let at = 0; at < 60; at += 1) await open(`https://agent.example/many-${at}.json`);
      assert.ok(fetched - before <= 25, `${fetched - before} were fetched`);
    });
  },
  { fetch: fetchDocument },
);
