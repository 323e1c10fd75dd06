/**
 * Two owners of one server, whose connections and records have the same names: neither's credentials find the other's
 * data.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  acceptInvitation,
  createIntrospectionCredential,
  createOwnerToken,
  findSession,
  inviteOwner,
  type OwnerContext,
  putConnection,
  removeOwner,
} from "@rungs/server";
import { createNote, library } from "../../testing/library.ts";
import { Browser } from "../../testing/oauth/browser.ts";
import {
  ask,
  chooseAll,
  Flow,
  onEveryServer,
  post,
  read,
  register,
  type Served,
} from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

const PASSWORD = "correct horse battery";

onEveryServer((served) => {
  let [first, ada]: OwnerContext[] = [];
  let [firstToken, adaToken] = ["", ""];

  before(async () => {
    const { store, owner_id } = served().world;
    first = { store, owner_id, now: Date.now };
    const { url } = await inviteOwner(first, { name: "ada", base_url: served().url });
    const code = new URL(url).searchParams.get("code") ?? "";
    const secret = await acceptInvitation(first, { code, password: PASSWORD, agent: "browser" });
    assert.equal((await findSession(first, secret))?.owner_id, "ada");
    ada = { ...first, owner_id: "ada" };
    await putConnection(ada, "home", library, "Ada at home");
    const notes = [
      createNote("n1", { title: "adamarker", body: "adamarker", written_at: "2026-01-01T00:00:00Z" }),
    ];
    await store.ingest("ada", "home", notes);
    [firstToken, adaToken] = [await createOwnerToken(first), await createOwnerToken(ada)];
  });

  const get = async (path: string, token: string) => {
    const answer = await read(served(), path, token);
    return { status: answer.status, body: (await answer.json()) as Json };
  };

  /** Connects a client under the consent of an owner. */
  async function connect(owner: OwnerContext) {
    const flow = new Flow(served(), await register(served()));
    const browser = new Browser();
    const uid = await ask(flow.authorizationUrl(), browser);
    const consents = served().oauth.consentsOf(owner);
    const asked = await consents.view(uid);
    assert.ok(asked);
    const choice = chooseAll(asked);
    const digest = (await consents.view(uid, choice))?.digest ?? "";
    const result = await consents.approve(uid, choice, { digest, training_allowed: false });
    assert.equal(result.kind, "granted");
    const back = await browser.follow(result.kind === "granted" ? result.redirect_url : "");
    const { body } = await flow.exchange(back.searchParams.get("code") ?? "");
    return { flow, ...(body as { access_token: string; refresh_token: string }) };
  }

  test("R129 an owner's token finds nothing of another owner's by word, handle, blob, cursor or connection", async () => {
    const { blob } = served().world;
    const { body: mine } = await get("/v1/search?q=adamarker", adaToken);
    assert.equal(mine.meta.count, 1);
    for (const word of ["insidemarker", "outsidemarker"])
      assert.equal((await get(`/v1/search?q=${word}`, adaToken)).body.meta.count, 0, word);
    assert.equal((await get("/v1/search?q=adamarker", firstToken)).body.meta.count, 0);
    const { body: theirs } = await get("/v1/search?q=insidemarker&limit=1", firstToken);
    const [{ id }] = theirs.data;
    const without = ({ body, status }: { status: number; body: Json }) => {
      const { request_id: _, ...error } = body.error;
      return JSON.stringify({ status, error }).replaceAll(id, "ID").replaceAll("nothing", "ID");
    };
    const missing = await get("/v1/fetch?id=nothing", adaToken);
    const hidden = await get(`/v1/fetch?id=${encodeURIComponent(id)}`, adaToken);
    assert.ok(hidden.status >= 400 && missing.status >= 400, without(hidden));
    assert.equal((await read(served(), `/v1/blobs/${blob.blob_id}`, adaToken)).status, 404);
    const schema = JSON.stringify((await get("/v1/schema", adaToken)).body);
    assert.match(schema, /Ada at home/);
    assert.doesNotMatch(schema, /Library at/);
    const { body: page } = await get("/v1/streams/notes/records?limit=1&connection_id=home", firstToken);
    const cursor = page.next_cursor ?? page.meta?.next_cursor;
    if (cursor !== undefined) {
      const path = `/v1/streams/notes/records?limit=1&connection_id=home&cursor=${encodeURIComponent(cursor)}`;
      assert.equal((await get(path, firstToken)).status, 200);
      assert.ok((await get(path, adaToken)).status >= 400, "a cursor of another owner");
    }
  });

  test("R129 the consent page grants what its owner has, and the grant, its tokens and their end are the owner's", async () => {
    const { store } = served().world;
    const { flow, access_token, refresh_token } = await connect(ada as OwnerContext);
    const [stored] = (await store.listTokens("ada")).filter(({ kind }) => kind === "client");
    assert.equal(stored?.client_id, flow.client_id);
    assert.equal((await get("/v1/search?q=adamarker", access_token)).body.meta.count, 1);
    assert.equal((await get("/v1/search?q=insidemarker", access_token)).body.meta.count, 0);
    const next = await flow.refresh(refresh_token);
    assert.equal(next.status, 200);
    assert.equal((await get("/v1/search?q=adamarker", next.body.access_token)).body.meta.count, 1);
    assert.equal((await get("/v1/schema", access_token)).status, 401, "the former token has ended");
    const credential = async (owner: OwnerContext) => {
      const { client_id, client_secret } = await createIntrospectionCredential(owner, "rs");
      return { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
    };
    const introspect = async (owner: OwnerContext) =>
      (
        await post(
          `${served().url}/oauth/introspect`,
          { token: next.body.access_token },
          await credential(owner),
        )
      ).body;
    assert.equal((await introspect(first as OwnerContext)).active, false);
    const known = await introspect(ada as OwnerContext);
    assert.deepEqual([known.active, known.subject_id], [true, "ada"]);
    const form = { client_id: flow.client_id, token: next.body.refresh_token };
    assert.equal((await post(`${served().url}/oauth/revoke`, form)).status, 200);
    assert.equal((await get("/v1/schema", next.body.access_token)).status, 401);
  });

  test("R127 requests beyond an owner's quota are refused until the next minute, without affecting others", async () => {
    const { store } = served().world;
    await store.changeAccount("ada", { quota: { requests: 3 } });
    const answers = [];
    for (let count = 0; count < 8; count += 1) answers.push(await get("/v1/schema", adaToken));
    await store.changeAccount("ada", { quota: {} });
    const refused = answers.find(({ status }) => status === 429);
    assert.equal(refused?.body.error.code, "request_quota_exceeded");
    assert.equal((await get("/v1/schema", firstToken)).status, 200);
  });

  test("R128 after a removal, nothing of the owner works, and the others are unaffected", async () => {
    const { store } = served().world;
    const { flow, access_token, refresh_token } = await connect(ada as OwnerContext);
    const other = await connect(first as OwnerContext);
    await removeOwner(first as OwnerContext, "ada");
    for (const token of [adaToken, access_token]) assert.equal((await get("/v1/schema", token)).status, 401);
    assert.equal((await flow.refresh(refresh_token)).status, 400);
    assert.equal((await get("/v1/schema", other.access_token)).status, 200);
    assert.equal((await other.flow.refresh(other.refresh_token)).status, 200);
    const rest: string[] = [];
    await store.dump(async ({ table, rows }) => {
      const has = rows.some((row) => row.some((cell) => String(cell).includes("adamarker")));
      if (has) rest.push(table);
    });
    assert.deepEqual(rest, []);
    await assert.rejects(inviteTwice(served()), { code: "invalid_request" });
  });
});

/** Accepts an invitation under a formerly used name. */
async function inviteTwice({ world, url }: Served): Promise<string> {
  const context = { store: world.store, owner_id: world.owner_id, now: Date.now };
  const invitation = await inviteOwner(context, { name: "ada", base_url: url });
  const code = new URL(invitation.url).searchParams.get("code") ?? "";
  return acceptInvitation(context, { code, password: PASSWORD, agent: "browser" });
}
