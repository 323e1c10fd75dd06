/** Mailboxes whose provider refuses passwords: signing in by OAuth, by command line. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { start } from "../../testing/cli/program.ts";
import { CLIENT_ID, CLIENT_SECRET, startMailProvider } from "../../testing/oauth/mail-provider.ts";
import { until } from "../../testing/until.ts";

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "rungs-oauth-"));
  const provider = await startMailProvider();
  t.after(async () => {
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { RUNGS_HOME: join(folder, "home"), CLIENT_SECRET, REFRESH: provider.refreshToken() };
  const { url, mail } = provider;
  const add = [
    ...["sync", "add", "imap", `imap+plain://ada@127.0.0.1:${mail.port}`, "--id", "box"],
    ...["--oauth", "custom", "--client-id", CLIENT_ID, "--client-secret-env", "CLIENT_SECRET"],
    ...["--token-url", `${url}/token`, "--scope", "mail offline"],
  ];
  const rungs = (...argv: string[]) => rungsHere(argv, env);
  return { provider, env, rungs, add, database: join(folder, "home", "rungs.db") };
}

test("R78 R79 a mailbox is read with a refresh token, which rotates; both hosts are listed, and no token is shown", async (t) => {
  const { provider, rungs, add, database } = await open(t);
  const added = await rungs(...add, "--password-env", "REFRESH");
  assert.match(added.out, /^Added box/, added.err);
  assert.match((await rungs("sync", "run", "box")).out, /done, 1 added/);
  assert.match((await rungs("sync", "run", "box")).out, /done, 0 added/);
  // The access token is kept, sealed, for an hour.
  assert.equal(provider.requests.length, 1);
  const [request] = provider.requests;
  assert.deepEqual(
    ["grant_type", "refresh_token", "client_secret", "scope"].map((name) => request?.get(name)),
    ["refresh_token", "refresh-0", CLIENT_SECRET, "mail offline"],
  );
  provider.revokeAccess();
  assert.match((await rungs("sync", "run", "box")).out, /done/, "a token that was revoked is renewed");
  assert.equal(provider.requests.at(-1)?.get("refresh_token"), "refresh-1");
  const listed = await rungs("sync", "list");
  assert.match(
    listed.out,
    new RegExp(`127\\.0\\.0\\.1:${provider.mail.port}, ${new URL(provider.url).host}`),
  );
  const shown = [listed.out, (await rungs("sync", "list", "--json")).out, readFileSync(database, "latin1")];
  for (const text of shown) assert.doesNotMatch(text, /refresh-\d|access-\d|client-secret-7/);
});

test("R78 a sign-in that the provider revoked is refused with a clear message, and signing in again fixes it", async (t) => {
  const { provider, env, rungs, add } = await open(t);
  await rungs(...add, "--password-env", "REFRESH");
  provider.revokeAll();
  const { out } = await rungs("sync", "run", "box");
  assert.match(out, /failed.*provider refused to renew the sign-in: invalid_grant.*rungs sync password/s);
  env.REFRESH = "none";
  const again = await rungs("sync", "password", "box", "--password-env", "REFRESH");
  assert.match(again.out, /has a new password/, again.err);
  assert.match((await rungs("sync", "run", "box")).out, /done, 1 added/);
});

test("R78 the owner signs in with a browser on this machine, and with a code on another", async (t) => {
  const { provider, env, rungs, add } = await open(t);
  const adding = start([...add, "--authorize-url", `${provider.url}/authorize?prompt=consent`], env);
  t.after(() => adding.kill("SIGKILL"));
  let [shown, printed] = ["", ""];
  adding.stderr.on("data", (chunk) => {
    shown += chunk;
  });
  adding.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const address = /^http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+$/m;
  const url = await until(() => address.exec(shown)?.[0]);
  assert.match(url, /prompt=consent.*code_challenge_method=S256/);
  const back = provider.approve(url);
  assert.equal(back.hostname, "localhost");
  back.hostname = "127.0.0.1";
  assert.match(await (await fetch(back)).text(), /Signed in/);
  await new Promise((resolve) => adding.once("close", resolve));
  assert.match(printed, /^Added box/, shown);
  await rungs("sync", "remove", "box");
  const coded = await rungs(...add, "--device-url", `${provider.url}/device`, "--device");
  assert.match(coded.err, /Open https:\/\/x\.example\/d in a browser, and enter WDJB-MJHT there/);
  assert.match(coded.out, /^Added box/);
});

test("R79 addresses without TLS, unknown providers and clients without an id are refused", async (t) => {
  const { rungs } = await open(t);
  const add = ["sync", "add", "imap", "imaps://ada@imap.example.org", "--password-env", "REFRESH"];
  const cases: [string[], RegExp][] = [
    [["--oauth", "yahoo", "--client-id", "x"], /takes google, microsoft, custom/],
    [["--oauth", "google"], /needs --client-id/],
    [["--oauth", "custom", "--client-id", "x"], /needs --token-url/],
    [
      ["--oauth", "custom", "--client-id", "x", "--token-url", "http://a.example/t"],
      /correct oauth\.token_url/,
    ],
  ];
  for (const [more, words] of cases) assert.match((await rungs(...add, ...more)).err, words);
});
