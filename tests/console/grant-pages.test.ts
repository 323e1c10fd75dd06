/** Presets, changes of grants, rules that hide data, and explanations, by the forms that browsers send. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listGrants } from "@rungs/server";
import { type ServedDemo, serveDemo } from "../../testing/console/demo.ts";
import { type Halves, readHalves } from "../../testing/console/served.ts";
import type { Json } from "../../testing/world.ts";

let demo: ServedDemo;
let halves: Halves;
let form_token: string;
before(async () => {
  demo = await serveDemo();
  const code = new URL(await demo.loginLink()).searchParams.get("code") ?? "";
  const init = { method: "POST", body: new URLSearchParams({ code }), redirect: "manual" } as const;
  halves = readHalves(await fetch(`${demo.url}/console/sign-in`, init));
  form_token = find(await get("/settings"), /name="form_token" value="([^"]+)"/);
});
after(() => demo?.close());

type Form = Readonly<Record<string, string | readonly string[]>>;

const find = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? "";
/** The text of a page's main part. */
const wordsOf = (page: string) =>
  page
    .slice(page.indexOf("<main"), page.indexOf("</main>"))
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

async function get(path: string): Promise<string> {
  return (await fetch(`${demo.url}/console${path}`, { headers: { ...halves } })).text();
}

async function post(path: string, form: Form): Promise<string> {
  const body = new URLSearchParams({ form_token });
  for (const [name, values] of Object.entries(form))
    for (const value of [values].flat()) body.append(name, value);
  return (await fetch(`${demo.url}/console${path}`, { method: "POST", body, headers: { ...halves } })).text();
}

/** Previews a form, then submits it. */
async function decide(path: string, form: Form): Promise<string> {
  const digest = find(await post(path, form), /name="digest" value="([^"]+)"/);
  return post(path, { ...form, digest, looked: "yes", do: "approve" });
}

async function makeGrant(client: string, form: Form): Promise<{ token: string; grant_id: string }> {
  const made = await decide("/grants/new", { client, ...form });
  const found = (await listGrants(demo.parts)).find(({ grant }) => grant.client.client_id === client);
  return { token: find(made, /aria-label="Token">([^<]+)</), grant_id: found?.grant.grant_id ?? "" };
}

const read = async (token: string, path: string): Promise<Json> =>
  (await fetch(demo.url + path, { headers: { Authorization: `Bearer ${token}` } })).json();

const WORK = "mail-work/messages";

test("a grant needs a preview that was shown and has not changed", async () => {
  const before = (await listGrants(demo.parts)).length;
  const form = { client: "early", stream: WORK, do: "approve", looked: "yes" };
  assert.match(await post("/grants/new", form), /has changed since it was shown/);
  const other = find(await post("/grants/new", { stream: "chat/messages" }), /name="digest" value="([^"]+)"/);
  assert.match(await post("/grants/new", { ...form, digest: other }), /has changed since it was shown/);
  const own = find(await post("/grants/new", { stream: WORK }), /name="digest" value="([^"]+)"/);
  const { looked: _, ...unseen } = form;
  assert.match(await post("/grants/new", { ...unseen, digest: own }), /tick that you have/);
  assert.match(await post("/grants/new", { client: "early", words: "/(/", stream: WORK }), /role="alert"/);
  assert.equal((await listGrants(demo.parts)).length, before);
});

test("R83 a choice is saved as a preset and applied, and reads count against its grant's budget", async () => {
  const saved = await post("/grants/new", {
    do: "save",
    stream: "chat/messages",
    "pick:chat/messages:room_id": ['"r1"', '"r2"'],
    mask: "email",
    "show:chat/messages:room": "plain",
    expires_in_days: "7",
    records_per_day: "3",
    preset_name: "two rooms, a week",
  });
  assert.match(saved, /Saved as “two rooms, a week”/);
  const applied = await post("/grants/new", { do: "apply", preset: "two rooms, a week" });
  assert.match(applied, /name="records_per_day"[^>]*value="3"/);
  assert.match(applied, /Conversation: Kyoto trip[\s\S]*Conversation: Sunday kitchen/);
  assert.match(applied, /<option value="7" selected>a week/);
  assert.match(applied, /name="mask" value="email" checked/);
  const [first] =
    /<(?:button|input [^>]*type="submit")[^>]*>/.exec(applied.slice(applied.indexOf('class="choice"'))) ?? [];
  assert.match(String(first), /value="update"/, "the Enter key applies no preset");
  assert.match(
    applied,
    /name="show:chat\/messages:room"><option value="shown">masked<\/option><option value="plain" selected>/,
  );
  assert.match(wordsOf(applied), /80 records.*40 left out/);
  const { token } = await makeGrant("chatting", {
    stream: "chat/messages",
    records_per_day: "3",
    expires_in_days: "7",
  });
  assert.equal((await read(token, "/v1/streams/messages/records?limit=2")).data.length, 2);
  assert.equal((await read(token, "/v1/streams/messages/records?limit=2")).error.code, "budget_exhausted");
  assert.match(wordsOf(await get("/grants")), /Records today 2 of 3/);
});

test("R51 narrowing a grant takes one step, widening a confirmation; its token follows, and its old cursors end", async () => {
  const { token, grant_id } = await makeGrant("changing", { stream: WORK, expires_in_days: "30" });
  const path = `/grants/${grant_id}/change`;
  const names = async () =>
    (await read(token, "/v1/schema")).streams.flatMap(({ fields }: Json) =>
      fields.map(({ name }: Json) => name),
    );
  const { next_cursor } = await read(token, "/v1/streams/messages/records?limit=2");
  const without = { stream: WORK, [`show:${WORK}:body`]: "out", expires_in_days: "30" };
  assert.match(await post(path, without), /gives nothing that changing does not read/);
  await decide(path, without);
  assert.ok(!(await names()).includes("body"));
  const old = `/v1/streams/messages/records?limit=2&cursor=${encodeURIComponent(next_cursor)}`;
  assert.ok((await read(token, old)).error, "a cursor of before");
  const withBody = { stream: [WORK, "chat/messages"], expires_in_days: "30" };
  assert.match(
    wordsOf(await post(path, withBody)),
    /more than before: chat\/messages mail-work\/messages: the field body/,
  );
  await decide(path, withBody);
  assert.ok((await names()).includes("text"));
  assert.match(wordsOf(await get("/activity?who=all")), /changing got another scope for its grant/);
  const { grant } = (await listGrants(demo.parts)).find((each) => each.grant.grant_id === grant_id) ?? {};
  await decide(path, { ...withBody, expires_in_days: "365" });
  const [kept] = (await listGrants(demo.parts)).filter((each) => each.grant.grant_id === grant_id);
  assert.equal(kept?.grant.expires_at, grant?.expires_at, "the end can only come nearer");
  await decide(path, { ...withBody, expires_in_days: "1" });
  const [sooner] = (await listGrants(demo.parts)).filter((each) => each.grant.grant_id === grant_id);
  assert.ok(String(sooner?.grant.expires_at) < String(grant?.expires_at));
  await post(`/grants/${grant_id}/revoke`, {});
  assert.match(await get(path), /The grant has ended/);
});

test("R81 R84 a record is hidden and shown again in one click, and the pages say what is hidden and why", async () => {
  const record = `${WORK}:m-0003`;
  const page = "/records/mail-work%2Fmessages:m-0003";
  assert.match(await post("/hidden/record", { record, do: "hide" }), /Hidden from all agents/);
  await post("/hidden/record", { record, do: "hide" });
  assert.match(
    wordsOf(await get(`/explain?record=${record}`)),
    /demo agent .* does not see it. Not met: “not hidden by you: record/,
  );
  const [first] = await listGrants(demo.parts);
  const why = wordsOf(await get(`/explain?record=${record}&grant=${first?.grant.grant_id}`));
  assert.match(why, /not hidden by you: record mail-work\/messages:m-0003 no|covers mail-work\/messages no/);
  assert.match(wordsOf(await get("/hidden")), /Mail at work: Messages, 1 of 120 records/);
  assert.match(
    wordsOf(await get("/hidden?kind=person&text=Kenji*")),
    /would hide person Kenji\* : Chat: Chat messages, 16 of 120/,
  );
  assert.match(
    wordsOf(await post("/hidden", { kind: "person", text: "Kenji*" })),
    /person Kenji\* Chat: Chat messages, 16/,
  );
  const rule_id = find(await get("/hidden"), /name="rule_id" value="([^"]+)"/);
  await post("/hidden/remove", { rule_id });
  assert.doesNotMatch(wordsOf(await get("/hidden")), /Kenji/);
  assert.doesNotMatch(await post("/hidden/record", { record, do: "show" }), /Hidden from all agents/);
  assert.match(await get(page), /Hide this record from all agents/);
  assert.match(wordsOf(await get("/explain?record=nonsense")), /CONNECTION\/STREAM:KEY/);
  assert.match(wordsOf(await get("/hidden?kind=value&text=nonsense")), /is not a condition/);
  assert.match(wordsOf(await get("/hidden?kind=pattern&text=(open")), /The pattern is not an RE2 expression/);
  assert.match(
    wordsOf(await get("/hidden?kind=pattern&text=Kenji")),
    /It would hide text that matches \/Kenji\/ : .*, \d+ of 120 records/,
  );
  await post("/hidden", { kind: "pattern", text: "Kenji" });
  const adding = await get("/hidden");
  assert.match(wordsOf(adding), /text that matches \/Kenji\/ (Still being applied|.*, \d+ of 120 records)/);
  await post("/hidden/remove", { rule_id: find(adding, /name="rule_id" value="([^"]+)"/) });
});
