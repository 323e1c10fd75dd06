/** `rungs connect`: from a server URL to reads, through the owner's consent. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LoginRefused, startBrowserLogin, startDeviceLogin } from "@rungs/client";
import { revokeGrant } from "@rungs/server";
import { run } from "rungs/internal/run";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { startStdio } from "../../testing/mcp/connect.ts";
import { Browser } from "../../testing/oauth/browser.ts";
import { agree, approve, ask, CALLBACK, onEveryServer } from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

const CONNECTED = /Open this address in your browser to give access:\n(?<url>\S+)/;

onEveryServer((served) => {
  let home = "";
  before(() => {
    home = mkdtempSync(join(tmpdir(), "rungs-connect-"));
  });
  after(() => rmSync(home, { recursive: true }));
  const here = (...argv: string[]) => rungsHere(argv, { RUNGS_HOME: home });

  /** Runs the command, and answers in a browser as soon as it prints the URL. */
  async function connect(answer: (url: string) => Promise<URL>) {
    const out: string[] = [];
    const asked = Promise.withResolvers<string>();
    const err: string[] = [];
    const io = {
      out: (text: string) => out.push(text),
      err(text: string) {
        err.push(text);
        const url = CONNECTED.exec(text)?.groups?.url;
        if (url !== undefined) asked.resolve(url);
      },
      env: { RUNGS_HOME: home },
    };
    const running = run(["connect", `${served().url}/mcp`], io);
    const callback = await answer(await asked.promise);
    const page = await (await fetch(callback)).text();
    return { code: await running, out: out.join("\n"), err: err.join("\n"), page };
  }
  const loginFile = () => {
    const folder = join(home, "logins");
    const [name = ""] = readdirSync(folder);
    return join(folder, name);
  };
  const readLogin = (): Json => JSON.parse(readFileSync(loginFile(), "utf8"));

  test("R50 the commands read under the owner's grant, with or without the server URL", async () => {
    const { code, out, page } = await connect((url) => agree(served(), url));
    assert.equal(code, 0);
    assert.match(out, /^Connected to http/);
    assert.match(page, /^Connected/);
    for (const argv of [["--url", served().url], []]) {
      const found = await here("search", "insidemarker", ...argv);
      assert.equal(found.code, 0, found.err);
      assert.match(found.out, /home\/notes:/);
    }
  });

  test("R50 `rungs mcp` serves a host under the saved login", async (t) => {
    const client = await startStdio({ RUNGS_HOME: home });
    t.after(() => client.close());
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "search"));
    const found = await client.callTool({ name: "search", arguments: { query: "insidemarker" } });
    assert.notEqual(found.isError, true);
  });

  test("R53 only the user can read a saved login", () => {
    assert.equal(statSync(loginFile()).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, "logins")).mode & 0o777, 0o700);
  });

  test("an expired token is refreshed, by one program for all", async () => {
    const before = readLogin();
    writeFileSync(loginFile(), JSON.stringify({ ...before, expires_at_ms: Date.now() - 1 }));
    const answers = await Promise.all([1, 2, 3].map(() => here("search", "insidemarker")));
    assert.deepEqual(
      answers.map(({ code }) => code),
      [0, 0, 0],
    );
    const fresh = readLogin();
    assert.notEqual(fresh.refresh_token, before.refresh_token);
    assert.ok(fresh.expires_at_ms > Date.now());
    assert.deepEqual(readdirSync(join(home, "logins")).length, 1);
  });

  test("a revoked login says so and what to do", async () => {
    const grants = await served().world.store.listGrants(served().world.owner_id);
    for (const { grant } of grants) await revokeGrant(served().oauth, grant.grant_id);
    writeFileSync(loginFile(), JSON.stringify({ ...readLogin(), expires_at_ms: Date.now() - 1 }));
    const refused = await here("search", "insidemarker");
    assert.equal(refused.code, 3);
    assert.match(refused.err, /has ended.*rungs connect/s);
  });

  test("a refused consent is reported as a refusal, not as a failure", async () => {
    const { code, err, page } = await connect(async (url) => {
      const browser = new Browser();
      const uid = await ask(url, browser);
      return browser.follow((await served().oauth.consents.deny(uid)) ?? "");
    });
    assert.equal(code, 3);
    assert.match(err, /the owner said no/);
    assert.match(page, /^Not connected/);
  });

  test("a stray request to the callback is refused and does not end the login", async () => {
    const strays: number[] = [];
    const { code, page } = await connect(async (url) => {
      const redirect_uri = new URL(url).searchParams.get("redirect_uri") ?? "";
      for (const query of ["", "?state=other&code=x", "?state=&error=access_denied", "?code=x"]) {
        strays.push((await fetch(redirect_uri + query)).status);
      }
      return agree(served(), url);
    });
    assert.deepEqual(strays, [400, 400, 400, 400]);
    assert.equal(code, 0);
    assert.match(page, /^Connected/);
  });

  test("an address without a Rungs server is reported as such", async () => {
    assert.equal((await here("connect", "no address")).code, 2);
    assert.equal((await here("connect", "http://127.0.0.1:1")).code, 4);
  });

  test("a response from another issuer, or with another state, is refused", async () => {
    const { url } = served();
    const options = { url, client_name: "test", redirect_uri: CALLBACK };
    for (const [name, value] of [
      ["iss", "https://evil.example"],
      ["state", "other"],
    ] as const) {
      const login = await startBrowserLogin(options);
      const callback = await agree(served(), login.authorization_url);
      callback.searchParams.set(name, value);
      await assert.rejects(async () => login.finish(callback), LoginRefused);
    }
  });

  /** Proxies the server, with one member of its metadata or device response changed. */
  const change = (name: string, value: unknown) => async (asked: string, init: RequestInit) => {
    const answer = await fetch(asked, init);
    if (!/\/\.well-known\/|\/oauth\/device$/.test(asked)) return answer;
    return Response.json({ ...((await answer.json()) as object), [name]: value });
  };

  test("a server with another server's metadata is refused (RFC 8414 §3.3, RFC 9728 §3.3)", async () => {
    const { url } = served();
    for (const [name, value] of [
      ["issuer", "https://evil.example"],
      ["resource", "https://evil.example"],
      ["authorization_servers", []],
    ] as const) {
      const options = { url, client_name: "test", redirect_uri: CALLBACK, fetch: change(name, value) };
      await assert.rejects(startBrowserLogin(options), LoginRefused, name);
    }
  });

  test("a server can make the client open or print only http and https URLs", async () => {
    const { url } = served();
    const others = [
      "-aCalculator",
      "file:///etc/passwd",
      "calculator:",
      "smb://evil.example/x",
      "\u001b]0;x\u0007",
    ];
    for (const value of others) {
      for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
        const options = { url, client_name: "test", redirect_uri: CALLBACK, fetch: change(name, value) };
        await assert.rejects(startBrowserLogin(options), /not an http or https address/, `${name} ${value}`);
      }
      for (const name of ["device_authorization_endpoint", "verification_uri_complete"]) {
        const options = { url, client_name: "test", fetch: change(name, value) };
        await assert.rejects(startDeviceLogin(options), /not an http or https address/, `${name} ${value}`);
      }
    }
    const odd = change("authorization_endpoint", "https://a.example/\u001b[2J\u202e");
    const login = await startBrowserLogin({ url, client_name: "test", redirect_uri: CALLBACK, fetch: odd });
    assert.match(login.authorization_url, /^https:\/\/a\.example\/%1B\[2J%E2%80%AE\?/);
  });

  test("a machine without a browser shows a code, and waits until the owner has agreed elsewhere", async () => {
    let waited = 0;
    const login = await startDeviceLogin({
      url: served().url,
      client_name: "headless",
      async sleep() {
        waited += 1;
        if (waited !== 2) return;
        const uid = (await served().oauth.consents.findDevice(login.user_code)) ?? "";
        await approve(served(), uid);
      },
    });
    assert.match(login.verification_uri, /\/console\/device\?user_code=/);
    const { access_token } = await login.finish();
    assert.equal(waited, 2);
    const headers = { Authorization: `Bearer ${access_token}` };
    assert.equal((await fetch(`${served().url}/v1/schema`, { headers })).status, 200);
  });
});
