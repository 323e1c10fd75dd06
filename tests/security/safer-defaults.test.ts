/** Defaults without any configuration. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listGrants, setPassword } from "@rungs/server";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import { readHalves, type ServedConsole, serveConsole } from "../../testing/console/served.ts";
import { createNote } from "../../testing/library.ts";
import { onEveryEngine } from "../../testing/world.ts";

const DAY_MS = 86_400_000;
let home: NotesHome;
before(async () => {
  home = await createNotesHome();
});
after(() => home?.remove());

const create = (...argv: string[]) =>
  rungsHere(["grant", "create", "--client", "a", "--allow", "notes/*", ...argv], home.env);

test("R71 a grant expires in 30 days unless the owner chooses another end, or none", async () => {
  const expiry = async (...argv: string[]) => {
    const { grant } = JSON.parse((await create("--json", ...argv)).out) as { grant: Record<string, string> };
    const end = grant.expires_at;
    return end && Math.round((Date.parse(end) - Date.parse(grant.issued_at ?? "")) / DAY_MS);
  };
  assert.equal(await expiry(), 30);
  assert.equal(await expiry("--expires", "7d"), 7);
  assert.equal(await expiry("--expires", "never"), undefined);
});

test("a client's name prints no escape sequence", async () => {
  const { out } = await rungsHere(
    ["grant", "create", "--client", "red \u001b[31m", "--allow", "notes/*"],
    home.env,
  );
  assert.ok(!out.includes("\u001b"), JSON.stringify(out));
});

test("every command removes other users' access to the home", {
  skip: process.platform === "win32",
}, async () => {
  const path = home.env.RUNGS_HOME as string;
  chmodSync(path, 0o755);
  assert.equal((await rungsHere(["grant", "list"], home.env)).code, 0);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test("http to another machine is refused without a flag", async () => {
  const env = { ...home.env, RUNGS_TOKEN: "t" };
  const refused = await rungsHere(["schema", "--url", "http://data.invalid"], env);
  assert.deepEqual(
    [refused.code, /would send the token unencrypted/.test(refused.err)],
    [2, true],
    refused.err,
  );
  const connected = await rungsHere(["connect", "http://data.invalid"], env);
  assert.deepEqual([connected.code, /--plain-http/.test(connected.err)], [2, true], connected.err);
  const allowed = await rungsHere(["schema", "--url", "http://data.invalid", "--plain-http"], env);
  assert.doesNotMatch(allowed.err, /unencrypted/);
  const local = await rungsHere(["schema", "--url", "http://127.0.0.1:9"], env);
  assert.doesNotMatch(local.err, /unencrypted/);
});

test("the message about a damaged database names the backup", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-damaged-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "damaged.db");
  writeFileSync(file, "this is not a database, and long enough to be read as one ".repeat(200));
  const { err } = await rungsHere(["grant", "list", "--database", file], {});
  assert.match(err, /[Pp]ut the last backup back with rungs restore/);
});

test("R71 the console asks for the password again before it makes a grant", async (context) => {
  const served: ServedConsole = await serveConsole();
  context.after(() => served.close());
  const owner = served.parts;
  const code = new URL(await served.loginLink()).searchParams.get("code") ?? "";
  const send = (path: string, form?: Record<string, string>, headers: object = {}) =>
    fetch(`${served.url}/console${path}`, {
      redirect: "manual",
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
      headers: { ...headers },
    });
  const halves = readHalves(await send("/sign-in", { code }));
  const page = await (await send("/settings", undefined, halves)).text();
  const form_token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const make = async (client: string, more: Record<string, string> = {}) => {
    const chosen = { form_token, client, stream: "home/notes", ...more };
    const shown = await (await send("/grants/new", chosen, halves)).text();
    const digest = /name="digest" value="([^"]+)"/.exec(shown)?.[1] ?? "";
    const form = { ...chosen, digest, looked: "yes", do: "approve" };
    await (await send("/grants/new", form, halves)).text();
    return (await listGrants(owner)).some(({ grant }) => grant.client.client_id === client);
  };
  assert.equal(await make("without a password set"), true);
  await setPassword(owner, "correct horse battery");
  assert.match(await (await send("/grants/new", undefined, halves)).text(), /Your password, again/);
  assert.equal(await make("none"), false);
  assert.equal(await make("wrong", { password: "a wrong password" }), false);
  assert.equal(await make("right", { password: "correct horse battery" }), true);
});

onEveryEngine((world) => {
  test("R17 the order of a record's members does not depend on a hidden field", async () => {
    const { store, owner_id } = world();
    const order = async (data: Record<string, unknown>) => {
      await store.ingest(owner_id, "home", [{ ...createNote("order", {}), data }]);
      return Object.keys((await world().json("/v1/streams/notes/records/order")).data);
    };
    const first = await order({ id: "order", title: "t", secret: "one" });
    assert.deepEqual(await order({ title: "t", secret: "two", id: "order" }), first);
  });
});
