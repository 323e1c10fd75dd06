/** Mutated requests to the console and to the authorization server, over a real socket: no 5xx, no broken connection. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatRecordPage } from "@rungs/contract";
import fc from "fast-check";
import { type Halves, readHalves, type ServedConsole, serveConsole } from "../../testing/console/served.ts";
import { fuzz } from "../../testing/fuzz/cases.ts";
import { type Draft, mutate } from "../../testing/fuzz/mutations.ts";
import { Random } from "../../testing/random.ts";

/** Headers that a client cannot set, or only in a raw request (tests/http/socket.test.ts). */
const SENDERS_OWN = new Set(["host", "content-length"]);
const FORM = "application/x-www-form-urlencoded";
const CALLBACK = "http://127.0.0.1:7/callback";

let served: ServedConsole;
let pages: readonly Draft[];
let endpoints: readonly Draft[];
before(async () => {
  served = await serveConsole();
  const { halves, form_token } = await signIn();
  pages = listPages(halves, form_token);
  endpoints = listEndpoints(await register());
});
after(() => served?.close());

const chosen = fc.tuple(fc.nat(), fc.nat());

fuzz("any request to the console gets an answer or a coded error", chosen, async ([at, seed]) => {
  const draft = mutate(pages[at % pages.length] as Draft, new Random(seed));
  const { status, text } = await send(draft);
  assert.ok(status < 500, `${status} ${describe(draft)} ${text.slice(0, 300)}`);
});

fuzz("a request without a session gets no text of a record", chosen, async ([at, seed]) => {
  const { headers, ...draft } = mutate(pages[at % pages.length] as Draft, new Random(seed));
  const { Cookie: _, ...others } = headers;
  const { text } = await send({ ...draft, headers: others });
  assert.doesNotMatch(text, /heron|The lake/, describe({ ...draft, headers: others }));
});

fuzz(
  "any request to the authorization server gets an answer or a coded error",
  chosen,
  async ([at, seed]) => {
    const draft = mutate(endpoints[at % endpoints.length] as Draft, new Random(seed));
    const { status, text } = await send(draft);
    assert.ok(status < 500, `${status} ${describe(draft)} ${text.slice(0, 300)}`);
    assert.doesNotMatch(text, /\n +at |heron/, describe(draft));
  },
);

test("an unknown flow is refused, whatever parameters it has", async () => {
  const [authorize] = endpoints as [Draft];
  const { status } = await send({ ...authorize, segments: ["oauth", "authorize", "unknown"] });
  assert.equal(status, 400);
});

function listPages(halves: Halves, form_token: string): Draft[] {
  const record = formatRecordPage({ connection_id: "home", stream: "notes", record_id: "long" }).slice(1);
  const paths = [
    "console",
    "console/search?q=heron&stream=notes&connection_id=home",
    "console/streams/home/notes?cursor=x",
    record,
    `${record}/field?field_path=body&q=heron&marks=1-2`,
    `${record}/field?field_path=body&offset_chars=10&limit_chars=50`,
    "console/blobs/sha256:0",
    "console/grants",
    "console/grants/new?client=x",
    "console/grants/grant_x/revoke",
    "console/activity?grant=x&client=y&since=2026-01-01",
    "console/activity/export?format=csv",
    "console/connect",
    "console/import",
    "console/import/x",
    "console/settings",
    "console/consent/x",
    "console/device?user_code=AAAA-BBBB",
    "console/sign-in?code=x&next=%2Fconsole",
  ];
  const forms = [
    [
      "console/grants/new",
      { client: "x", stream: "home/notes", "show:home/notes:title": "out", expires_in_days: "30" },
    ],
    ["console/grants/grant_x/revoke", { do: "revoke" }],
    ["console/settings/password", { password: "short" }],
    ["console/sign-in", { code: "rungs_x", next: "/console" }],
    ["console/consent/x", { do: "approve" }],
    ["console/device", { user_code: "AAAA-BBBB" }],
  ] as const;
  const headers = { ...halves };
  return [
    ...paths.map((path) => draftOf("GET", path, headers)),
    ...forms.map(([path, form]) => draftOf("POST", path, headers, { ...form, form_token })),
  ];
}

function listEndpoints(client_id: string): Draft[] {
  const asked = {
    client_id,
    response_type: "code",
    redirect_uri: CALLBACK,
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    state: "s",
    resource: `${served.url}/mcp`,
    authorization_details: "[]",
  };
  const redirect = { client_id, redirect_uri: CALLBACK };
  const codes = { grant_type: "authorization_code", code: "x", code_verifier: "y".repeat(43), ...redirect };
  const registration = JSON.stringify({ client_name: "x", redirect_uris: [CALLBACK] });
  return [
    draftOf("GET", `oauth/authorize?${new URLSearchParams(asked)}`, {}),
    draftOf("GET", "oauth/authorize/x", {}),
    draftOf("GET", "oauth/jwks", {}),
    draftOf("GET", ".well-known/oauth-authorization-server", {}),
    draftOf("POST", "oauth/token", {}, codes),
    draftOf("POST", "oauth/token", {}, { grant_type: "refresh_token", refresh_token: "x", client_id }),
    draftOf("POST", "oauth/revoke", {}, { token: "x", client_id }),
    draftOf("POST", "oauth/introspect", { Authorization: "Basic eDp5" }, { token: "x" }),
    draftOf("POST", "oauth/par", {}, asked),
    draftOf("POST", "oauth/device", {}, { client_id, resource: asked.resource }),
    {
      ...draftOf("POST", "oauth/register", { "Content-Type": "application/json" }),
      body: Buffer.from(registration),
    },
  ];
}

function draftOf(method: string, path: string, headers: Record<string, string>, form?: object): Draft {
  const [way = "", query = ""] = path.split("?");
  const params = query === "" ? [] : query.split("&").map((pair) => pair.split("=") as [string, string]);
  const type = form ? { "Content-Type": FORM } : {};
  const body = form && Buffer.from(String(new URLSearchParams({ ...form })));
  return { method, segments: way.split("/"), params, headers: { ...type, ...headers }, body };
}

async function send({ method, segments, params, headers, body }: Draft) {
  const query = params.map(([name, value]) => `${name}=${value}`).join("&");
  const request = requestOf(`${served.url}/${segments.join("/")}?${query}`, {
    method,
    redirect: "manual",
    headers: Object.entries(headers).filter(([name]) => !SENDERS_OWN.has(name.toLowerCase())),
    ...(method === "GET" || method === "HEAD" || !body ? {} : { body: Buffer.from(body) }),
  });
  if (!request) return { status: 0, text: "" };
  const answer = await fetch(request);
  return { status: answer.status, text: await answer.text() };
}

/** Undefined for what no client can send. */
function requestOf(url: string, init: RequestInit): Request | undefined {
  try {
    return new Request(url, init);
  } catch {
    return undefined;
  }
}

function describe(draft: Draft): string {
  return JSON.stringify({
    ...draft,
    body: Buffer.from(draft.body ?? "")
      .toString()
      .slice(0, 500),
  });
}

async function signIn() {
  const code = new URL(await served.loginLink()).searchParams.get("code") ?? "";
  const body = new URLSearchParams({ code });
  const answer = await fetch(`${served.url}/console/sign-in`, { method: "POST", body, redirect: "manual" });
  const halves = readHalves(answer);
  const settings = await fetch(`${served.url}/console/settings`, { headers: { ...halves } });
  const form_token = /name="form_token" value="([^"]+)"/.exec(await settings.text())?.[1] ?? "";
  assert.notEqual(form_token, "");
  return { halves, form_token };
}

async function register(): Promise<string> {
  const body = JSON.stringify({ client_name: "Test agent", redirect_uris: [CALLBACK] });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${served.url}/oauth/register`, { method: "POST", headers, body });
  return ((await answer.json()) as { client_id: string }).client_id;
}
