/** Attacks on the console by hostile pages, programs and links: each is refused. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { listGrants, listSessions } from "@rungs/server";
import { type Halves, readHalves, type ServedConsole, serveConsole } from "../../testing/console/served.ts";
import { until } from "../../testing/until.ts";

let served: ServedConsole;
before(async () => {
  served = await serveConsole();
});
after(() => served?.close());

interface Asked {
  readonly form?: Record<string, string> | undefined;
  readonly halves?: Partial<Halves> | undefined;
  readonly headers?: Record<string, string> | undefined;
}

function send(path: string, { form, halves, headers }: Asked = {}): Promise<Response> {
  return fetch(`${served.url}/console${path}`, {
    redirect: "manual",
    ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    headers: { ...halves, ...headers },
  });
}

async function ask(path: string, asked?: Asked) {
  const answer = await send(path, asked);
  const [set] = answer.headers.getSetCookie();
  return { status: answer.status, location: answer.headers.get("Location"), set, text: await answer.text() };
}

async function codeOf(): Promise<string> {
  return new URL(await served.loginLink()).searchParams.get("code")!;
}

async function signIn(old?: Partial<Halves>) {
  const answer = await send("/sign-in", { form: { code: await codeOf() }, halves: old });
  const halves = readHalves(answer);
  const { text } = await ask("/settings", { halves });
  const [set = ""] = answer.headers.getSetCookie();
  return { halves, set, form_token: /name="form_token" value="([^"]+)"/.exec(text)![1]! };
}

const GRANT = { client: "x", stream: "home/notes", field: "home/notes:title" };

test("a login link signs in once; reuse and guessing fail, and a link scanner does not use it up", async () => {
  const code = await codeOf();
  assert.equal((await ask(`/sign-in?code=${code}`)).status, 200);
  assert.equal((await ask(`/sign-in?code=${code}`)).set, undefined);
  assert.equal((await ask("/sign-in", { form: { code } })).status, 303);
  const again = await ask("/sign-in", { form: { code } });
  assert.deepEqual([again.status, again.set], [401, undefined]);
  assert.equal((await ask("/sign-in", { form: { code: "rungs_guess" } })).status, 401);
});

test("the session cookie is out of reach of scripts and of other sites' forms", async () => {
  const { set } = await signIn();
  assert.match(set, /^rungs_session=half\.rungs_[\w-]{21}; Path=\/; HttpOnly; SameSite=Lax$/);
});

test("session fixation: a planted session never becomes the owner's, and the old one ends", async () => {
  const planted = {
    Cookie: "rungs_session=half.rungs_planted",
    Authorization: `Basic ${btoa(`rungs-xxxxxx:${"x".repeat(22)}`)}`,
  };
  const { halves } = await signIn(planted);
  for (const half of ["Cookie", "Authorization"] as const) assert.notEqual(halves[half], planted[half]);
  assert.equal((await ask("/settings", { halves: planted })).status, 303);
  const second = await signIn(halves);
  assert.notEqual(second.halves.Cookie, halves.Cookie);
  assert.equal((await ask("/settings", { halves })).status, 303);
});

test("CSRF: a form without the session's CSRF token, or with another session's, does nothing", async () => {
  const [mine, other] = [await signIn(), await signIn()];
  const before = (await listGrants(served.parts)).length;
  for (const form of [GRANT, { ...GRANT, form_token: "" }, { ...GRANT, form_token: other.form_token }]) {
    assert.equal((await ask("/grants/new", { form, halves: mine.halves })).status, 403);
  }
  assert.equal((await listGrants(served.parts)).length, before);
  for (const path of [
    "/sign-out",
    "/settings/password",
    "/settings/sessions",
    "/settings/tokens",
    "/device",
  ]) {
    assert.equal((await ask(path, { form: { do: "x" }, halves: mine.halves })).status, 403, path);
  }
  const form = { ...GRANT, form_token: mine.form_token };
  assert.equal((await ask("/grants/new", { form, halves: mine.halves })).status, 200);
});

test("CSRF: an upload is refused before its file is read", async () => {
  const { halves } = await signIn();
  const body = new FormData();
  body.append("file", new File(["x"], "x.mbox"));
  body.append("form_token", "late");
  const init = { method: "POST", body, headers: { ...halves }, redirect: "manual" } as const;
  assert.equal((await fetch(`${served.url}/console/import`, init)).status, 403);
});

test("an uploaded file is accepted under any name, into its own folder", async () => {
  const { halves, form_token } = await signIn();
  const names = ["../../up.mbox", "..", ".profile", "a\u0000b", `${"漢".repeat(120)}.mbox`, "x".repeat(300)];
  for (const name of names) {
    const body = new FormData();
    body.append("form_token", form_token);
    body.append("file", new File(["x"], name));
    const init = { method: "POST", body, headers: { ...halves }, redirect: "manual" } as const;
    const answer = await fetch(`${served.url}/console/import`, init);
    assert.equal(answer.status, 303, name);
    const page = answer.headers.get("Location")?.replace("/console", "") ?? "";
    await until(async () => !/Looking at the file|read\./.test((await ask(page, { halves })).text));
  }
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => /^(?:up\.mbox|\.profile)$/.test(name)),
    [],
  );
});

test("other origins and hosts are refused, even with a session", async () => {
  const { halves, form_token } = await signIn();
  const form = { ...GRANT, form_token };
  for (const Origin of ["https://evil.example", "null", "http://127.0.0.1:1"]) {
    assert.equal((await ask("/grants/new", { form, halves, headers: { Origin } })).status, 403, Origin);
  }
  // Only a raw request can name a host that it is not sent to, as a browser does after DNS rebinding.
  const headers = { Host: "evil.example", ...halves };
  const request = get(`${served.url}/console/grants`, { headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.resume();
  assert.equal(answer.statusCode, 403);
});

test("a page of another site or port may link to the console but not load from it", async () => {
  const { halves } = await signIn();
  const load = async (path: string, site: string, dest: string) => {
    const headers = { ...halves, "Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest };
    return (await fetch(served.url + path, { headers, redirect: "manual" })).status;
  };
  const paths = ["/console/search?q=heron", "/console/style.css", "/oauth/authorize?prompt=none", "/healthz"];
  for (const site of ["cross-site", "same-site"]) {
    for (const path of paths) {
      for (const dest of ["iframe", "image", "script", "empty"]) {
        assert.equal(await load(path, site, dest), 403, `${path} as ${dest}`);
      }
    }
    assert.equal(await load("/console/search?q=heron", site, "document"), 200);
  }
  assert.equal(await load("/console/style.css", "same-origin", "style"), 200);
  assert.equal(await load("/console", "none", "document"), 200);
});

test("open redirect: after signing in the browser stays here", async () => {
  for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "/v1/schema"]) {
    const signed = await send("/sign-in", { form: { code: await codeOf(), next } });
    const { origin, pathname, search } = new URL(signed.headers.get("Location") ?? "");
    assert.equal(origin, served.url, next);
    const headers = { ...readHalves(signed) };
    for (const query of [search, `?${new URLSearchParams({ next })}`]) {
      const answer = await fetch(served.url + pathname + query, { headers, redirect: "manual" });
      assert.deepEqual([answer.status, answer.headers.get("Location")], [303, `${served.url}/console`], next);
    }
  }
  const { location } = await ask("/search?q=a", {});
  assert.equal(location, "/console/sign-in?next=%2Fconsole%2Fsearch%3Fq%3Da");
});

test("without a session no page shows or does anything", async () => {
  for (const path of ["", "/search?q=heron", "/grants", "/activity/export?format=csv", "/records/x", "/x"]) {
    const { status, location, text } = await ask(path);
    assert.deepEqual([status, text], [303, ""], path);
    assert.match(location ?? "", /^\/console\/sign-in/);
  }
  const sessions = (await listSessions(served.parts)).length;
  assert.equal((await ask("/settings/password", { form: { password: "x".repeat(20) } })).status, 303);
  assert.equal((await listSessions(served.parts)).length, sessions);
});

test("a client token in the cookie is not a session, and neither half of a session secret is a token", async () => {
  const { halves, form_token } = await signIn();
  const seen = await ask("/grants/new", { form: { ...GRANT, form_token }, halves });
  const digest = /name="digest" value="([^"]+)"/.exec(seen.text)?.[1] ?? "";
  const form = { ...GRANT, form_token, digest, looked: "yes", do: "approve" };
  const { text } = await ask("/grants/new", { form, halves });
  const token = /aria-label="Token">([^<]+)</.exec(text)![1];
  for (const value of [token, `half.${token?.slice(0, -22)}`, token?.slice(0, -22)]) {
    const Cookie = `rungs_session=${value}`;
    const end = token?.slice(-22);
    const Authorization = `Basic ${btoa(`rungs-${end?.slice(0, 6)}:${end}`)}`;
    for (const other of [{}, { Authorization }, { Authorization: halves.Authorization }]) {
      assert.equal((await ask("/grants", { halves: { Cookie, ...other } })).status, 303);
    }
  }
  const cookie = halves.Cookie.split("=")[1]!;
  const key = atob(halves.Authorization.slice("Basic ".length)).split(":")[1]!;
  const half = cookie.slice("half.".length);
  const bearers = [cookie, half, key, half + key].map((each) => ({ Authorization: `Bearer ${each}` }));
  for (const path of ["/v1/schema", "/v1/search?q=heron", "/v1/export", "/mcp"]) {
    const method = path === "/mcp" ? "POST" : "GET";
    for (const headers of [...bearers, { ...halves }]) {
      assert.equal((await fetch(served.url + path, { method, headers })).status, 401, path);
    }
  }
  assert.equal((await ask("/search?q=heron", { halves })).status, 200, "the session itself goes on");
});

test("half of a session secret grants no access, wherever an attacker splits it", async () => {
  const { halves, form_token } = await signIn();
  const { Cookie, Authorization } = halves;
  const key = atob(Authorization.slice("Basic ".length)).split(":")[1]!;
  const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` });
  const others: Partial<Halves>[] = [
    { Cookie },
    { Authorization },
    { Cookie: Cookie + key },
    { Cookie: Cookie + key, ...basic("rungs:") },
    { Cookie: Cookie + key.slice(0, 1), ...basic(`rungs:${key.slice(1)}`) },
    { Cookie, ...basic(`someone:${key}`) },
    { Cookie, ...basic(`rungs:${"x".repeat(22)}`) },
    { Cookie, Authorization: `Bearer ${key}` },
  ];
  for (const part of others) {
    assert.equal((await ask("/search?q=heron", { halves: part })).status, 303, JSON.stringify(part));
    const form = { ...GRANT, form_token };
    assert.equal((await ask("/grants/new", { form, halves: part })).status, 303);
    const answer = await fetch(`${served.url}/console-key`, { headers: { ...part }, redirect: "manual" });
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get("WWW-Authenticate") ?? "", /^Basic realm="Rungs"/);
  }
  assert.equal((await ask("/search?q=heron", { halves })).status, 200);
});

test("a body that is not a form, or is endless, is refused", async () => {
  const { halves } = await signIn();
  const sendRaw = (body: string, type: string) =>
    fetch(`${served.url}/console/grants/new`, {
      method: "POST",
      body,
      headers: { ...halves, "Content-Type": type },
    });
  assert.equal((await sendRaw("{}", "application/json")).status, 415);
  assert.equal((await sendRaw("a".repeat(2 ** 21), "application/x-www-form-urlencoded")).status, 413);
});
