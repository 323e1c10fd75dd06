/** Tokens: created with an expiry, listed by an id that grants no access, and revoked. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createServer, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import type { Json } from "../../testing/world.ts";

const DAY_MS = 86_400_000;
let home: NotesHome;
let store: Store;
let now_ms = Date.now();
let ask: (token: string) => Promise<number>;
before(async () => {
  home = await createNotesHome();
  store = await openSqlite(join(home.env.RUNGS_HOME!, "rungs.db"));
  const app = createServer({ store, sealer: await openSealer(store), now: () => now_ms });
  ask = async (token) =>
    (await app.request("/v1/schema", { headers: { Authorization: `Bearer ${token}` } })).status;
});
after(async () => {
  await store?.close();
  home.remove();
});

const rungs = (...argv: string[]) => rungsHere(argv, home.env);
const json = async (...argv: string[]): Promise<Json> => JSON.parse((await rungs(...argv, "--json")).out);
const daysOf = ({ created_at, expires_at }: Json) =>
  Math.round((Date.parse(expires_at) - Date.parse(created_at)) / DAY_MS);

test("an owner token works for 90 days or until --expires, and is refused afterwards", async () => {
  const { token } = await json("token", "owner");
  const short = (await rungs("token", "owner", "--expires", "2d")).out;
  assert.deepEqual([await ask(token), await ask(short)], [200, 200]);
  now_ms += 3 * DAY_MS;
  assert.deepEqual([await ask(token), await ask(short)], [200, 401]);
  now_ms += 88 * DAY_MS;
  assert.equal(await ask(token), 401);
  now_ms = Date.now();
  assert.equal((await rungs("token", "owner", "--expires", "soon")).code, 2);
});

test("R53 tokens and credentials are listed by an id, and nothing in the list grants access", async () => {
  const { token } = await json("token", "owner");
  const { client_secret } = await json("token", "introspection", "archive", "--expires", "7d");
  const { tokens } = await json("token", "list");
  const kinds = tokens.map(({ kind, client_id }: Json) => `${kind} ${client_id}`);
  for (const each of ["owner owner", "introspection archive", "client shell"]) {
    assert.ok(kinds.includes(each), `${kinds}`);
  }
  const [credential] = tokens.filter(({ kind }: Json) => kind === "introspection");
  assert.equal(daysOf(credential), 7);
  assert.equal(daysOf(tokens.find(({ kind }: Json) => kind === "owner")), 90);
  const { out } = await rungs("token", "list");
  assert.match(out, /^TOKEN +KIND +CLIENT +GRANTS +MADE +STATE\n/);
  assert.match(out, /[0-9a-f]{12} +client +shell +grant_\S+ .*active/);
  for (const secret of [token, client_secret]) {
    assert.ok(!JSON.stringify(tokens).includes(secret) && !out.includes(secret));
    assert.ok(!readFileSync(join(home.env.RUNGS_HOME!, "rungs.db")).includes(secret));
  }
});

test("a token is revoked by a prefix of its id, from the next request on, and listed as revoked", async () => {
  const { token } = await json("token", "owner");
  const [{ token_id }] = (await json("token", "list")).tokens.filter(({ kind }: Json) => kind === "owner");
  const { code, out } = await rungs("token", "revoke", token_id.slice(0, 8));
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^${token_id} \\(owner\\): revoked `));
  assert.equal(await ask(token), 401);
  const ids = async (...argv: string[]) =>
    (await json("token", "list", ...argv)).tokens.map((each: Json) => each.token_id);
  assert.ok(!(await ids()).includes(token_id) && (await ids("--all")).includes(token_id));
  assert.match((await rungs("token", "revoke", token_id)).out, /revoked/, "a second time changes nothing");
});

test("an introspection credential is revoked too; for a client, the message says that it can get another token", async () => {
  await json("token", "introspection", "passing");
  const { tokens } = await json("token", "list");
  const idOf = (client: string) => tokens.find(({ client_id }: Json) => client_id === client).token_id;
  assert.equal((await rungs("token", "revoke", idOf("passing"))).code, 0);
  assert.doesNotMatch((await rungs("token", "list", "--all")).out, /passing/);
  const { out } = await rungs("token", "revoke", idOf("shell"));
  assert.match(out, /another token until you run rungs grant revoke grant_/);
  assert.equal(await ask(home.env.RUNGS_TOKEN!), 401);
});

test("an unknown or ambiguous id revokes nothing", async () => {
  const before = (await json("token", "list")).tokens.length;
  const { token } = await json("token", "owner");
  for (const id of ["00000000", "", "0", "%", token, "_".repeat(12)]) {
    const { code, err } = await rungs("token", "revoke", id);
    assert.deepEqual([code, /rungs token list/.test(err)], [1, true], `${id}: ${err}`);
    assert.ok(!err.includes(token));
  }
  assert.equal((await rungs("token", "revoke")).code, 2);
  assert.equal((await json("token", "list")).tokens.length, before + 1);
});

test("R55 creating and revoking tokens is in the audit log, without the tokens", async () => {
  const { reads } = await json("audit");
  const events = reads.map(({ operation, client_id, status }: Json) => `${operation} ${client_id} ${status}`);
  for (const each of [
    "token_created owner 200",
    "token_revoked owner 200",
    "credential_created archive 200",
    "token_revoked passing 200",
    "grant_created shell 200",
  ]) {
    assert.ok(events.includes(each), `${each} is not in ${events}`);
  }
  assert.doesNotMatch(JSON.stringify(reads), /rungs_[\w-]{20}/);
  assert.match((await rungs("audit")).out, /grant_created +200 +got a grant {2}grant_/);
});
