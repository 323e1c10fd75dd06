/** How the owner reaches the console from a terminal, and nobody else does. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { type Env, start } from "../../testing/cli/program.ts";

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "rungs-entrance-"));
});
after(() => rmSync(folder, { recursive: true }));

const env = () => ({ RUNGS_HOME: join(folder, "home") });

/** Starts `rungs serve` and waits for its first output. */
async function serve(more: readonly string[] = [], settings: Env = {}) {
  const program = start(["serve", "--port", "0", "--json", ...more], { ...env(), ...settings });
  const end = once(program, "close");
  const [said] = (await once(program.stdout, "data")) as [Buffer];
  const stop = async () => {
    program.kill("SIGINT");
    await end;
  };
  return { ...(JSON.parse(said.toString()) as { url: string; console_url: string }), stop };
}

async function signIn(link: string): Promise<number> {
  const { origin, searchParams } = new URL(link);
  const body = new URLSearchParams({ code: searchParams.get("code") ?? "" });
  return (await fetch(`${origin}/console/sign-in`, { method: "POST", body, redirect: "manual" })).status;
}

test("serve prints a link that signs in once, and login-link makes another", async () => {
  const { url, console_url, stop } = await serve();
  try {
    assert.equal(new URL(console_url).origin, url);
    for (const path of ["/", "/console/"]) {
      const asBrowser = { redirect: "manual", headers: { Accept: "text/html,*/*;q=0.8" } } as const;
      const { status, headers } = await fetch(url + path, asBrowser);
      assert.deepEqual([status, headers.get("Location")], [303, "/console"], path);
    }
    assert.deepEqual([await signIn(console_url), await signIn(console_url)], [303, 401]);
    const { out } = await rungsHere(["login-link", "--url", url, "--json"], env());
    assert.equal(await signIn(JSON.parse(out).console_url), 303);
    assert.match((await rungsHere(["login-link", "--url", url], env())).out, /works once and for 15 minutes/);
    assert.equal((await rungsHere(["login-link", "--url", "here"], env())).code, 2);
  } finally {
    await stop();
  }
});

test("the next start removes uploads that a crash left", async () => {
  const place = join(folder, "tmp");
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const left = join(place, `rungs-upload-${ended}-aB3xYz`);
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, "mail.mbox"), "private");
  const { stop } = await serve([], { TMPDIR: place });
  await stop();
  assert.equal(existsSync(left), false);
});

test("serve does not listen beyond this machine unless --behind-proxy names a proxy that terminates TLS", async () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "data.example.org"]) {
    const { code, err } = await rungsHere(["serve", "--host", host], env());
    assert.equal(code, 2, host);
    assert.match(err, /accepts other machines.*--behind-proxy https:\/\/NAME/);
  }
  for (const proxy of ["data.example.org", "http://data.example.org", "https://data.example.org/path", "x"]) {
    const { code, err } = await rungsHere(["serve", "--host", "0.0.0.0", "--behind-proxy", proxy], env());
    assert.equal(code, 2, proxy);
    assert.match(err, /--behind-proxy takes an address/);
  }
});

test("behind a proxy, links and the cookie use its address", async () => {
  const { url, console_url, stop } = await serve(["--behind-proxy", "https://data.example.org"]);
  try {
    assert.equal(new URL(console_url).origin, "https://data.example.org");
    const body = new URLSearchParams({ code: new URL(console_url).searchParams.get("code") ?? "" });
    const answer = await fetch(`${url}/console/sign-in`, { method: "POST", body, redirect: "manual" });
    assert.equal(answer.status, 303);
    const [set = ""] = answer.headers.getSetCookie();
    assert.match(set, /^__Host-rungs=rungs_[\w-]{43}; .*; Secure/);
    assert.equal(answer.headers.get("Location"), "/console", "the cookie is enough: no key is handed over");
    const headers = { Cookie: set.split(";")[0] ?? "" };
    assert.equal((await fetch(`${url}/console/settings`, { headers, redirect: "manual" })).status, 200);
    const key = await fetch(`${url}/console-key`, { redirect: "manual" });
    assert.deepEqual([key.status, key.headers.get("WWW-Authenticate")], [303, null]);
  } finally {
    await stop();
  }
});
