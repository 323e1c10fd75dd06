/** Malformed requests: each is refused, and none makes the server fail. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Browser } from "../../testing/oauth/browser.ts";
import { Flow, onEveryServer, register, serve } from "../../testing/oauth/served.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

const registrations: readonly unknown[] = [
  null,
  [],
  "text",
  {},
  { redirect_uris: "http://127.0.0.1/" },
  { redirect_uris: [5, null] },
  { redirect_uris: ["http://127.0.0.1/"], client_name: 5 },
  { redirect_uris: ["http://127.0.0.1/"], grant_types: { a: 1 } },
  { redirect_uris: ["http://127.0.0.1/"], response_types: "code" },
  { redirect_uris: ["http://127.0.0.1/"], client_uri: "javascript:alert(1)" },
  { redirect_uris: ["http://[::1"], __proto__: { x: 1 } },
];

const forms: readonly string[] = [
  "",
  "&&&===",
  "grant_type=authorization_code",
  "grant_type=refresh_token&refresh_token=%00",
  "grant_type=password&username=a&password=b",
  "grant_type=client_credentials&client_id=x&client_secret=y",
  "client_id=%FF%FE&token=%FF",
  "client_id=a&client_id=b&grant_type=refresh_token&grant_type=refresh_token",
  `client_id=${"x".repeat(5000)}`,
  "client_id=https://&token=x",
  "client_id=https://127.0.0.1/x&token=x",
];

onEveryServer((served) => {
  const send = async (path: string, body: string, type: string) => {
    const headers = { "Content-Type": type };
    const answer = await fetch(served().url + path, { method: "POST", headers, body });
    await answer.text();
    return answer.status;
  };

  test("malformed registrations are refused", async () => {
    for (const metadata of registrations) {
      const status = await send("/oauth/register", JSON.stringify(metadata), JSON_TYPE);
      assert.equal(status, 400, JSON.stringify(metadata));
    }
    for (const body of ["", "{", `{"redirect_uris":["${"x".repeat(200_000)}"]}`]) {
      assert.equal(await send("/oauth/register", body, JSON_TYPE), 400);
    }
    assert.equal(await send("/oauth/register", "redirect_uris=x", FORM), 400);
  });

  test("malformed forms are refused at every endpoint", async () => {
    for (const path of [
      "/oauth/token",
      "/oauth/revoke",
      "/oauth/par",
      "/oauth/device",
      "/oauth/introspect",
    ]) {
      for (const body of [...forms, "x=".repeat(100_000)]) {
        const status = await send(path, body, FORM);
        assert.ok(status >= 400 && status < 500, `${path} ${status} ${body.slice(0, 80)}`);
      }
      const status = await send(path, "{}", JSON_TYPE);
      assert.ok(status >= 400 && status < 500, `${path} ${status}`);
    }
  });

  test("malformed browser requests are refused", async () => {
    const client_id = await register(served());
    const flow = new Flow(served(), client_id);
    const params = [
      { client_id: "" },
      { client_id: "unknown" },
      { response_type: "token" },
      { response_type: "code id_token" },
      { resource: "no address" },
      { state: "\u0000\ud800", prompt: "none" },
      { request: "x.y.z" },
      { request_uri: "urn:ietf:params:oauth:request_uri:none" },
      { scope: '"' },
      { authorization_details: "null" },
      { authorization_details: JSON.stringify([{ type: "__proto__" }]) },
    ];
    for (const each of params) {
      const answer = await new Browser().open(flow.authorizationUrl(each));
      const place = answer.headers.get("Location") ?? "";
      const isRefused = answer.status === 400 || /[?&#]error=(?!server_error)/.test(place);
      assert.ok(isRefused, `${JSON.stringify(each)} ${answer.status} ${place}`);
    }
    for (const path of ["/oauth/authorize/none", "/console/consent/none", "/console/consent/%00"]) {
      const { status } = await new Browser().open(served().url + path);
      assert.ok(status === 400 || status === 404, `${path} ${status}`);
    }
  });

  test("behind TLS every URL is https and every cookie is Secure", async () => {
    const base_url = "https://rungs.example";
    const behind = await serve(served().world, { base_url });
    try {
      const flow = new Flow({ ...behind, url: behind.url }, await register(behind));
      const answer = await fetch(flow.authorizationUrl({ resource: `${base_url}/mcp` }), {
        redirect: "manual",
      });
      const cookies = answer.headers.getSetCookie();
      assert.ok(
        cookies.length > 0 && cookies.every((cookie) => /; secure/i.test(cookie)),
        cookies.join("\n"),
      );
      const place = `${behind.url}/.well-known/oauth-authorization-server`;
      const metadata = (await (await fetch(place)).json()) as Record<string, string>;
      assert.deepEqual([metadata.issuer, metadata.token_endpoint], [base_url, `${base_url}/oauth/token`]);
    } finally {
      await behind.stop();
    }
  });
});
