/** Masks and budgets of grants, over REST and MCP, on both engines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { createNote } from "../../testing/library.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import { createWorld, type Json, type World } from "../../testing/world.ts";

const NOTES = {
  name: "notes",
  instance_ids: ["home"],
  fields: ["id", "title", "body", "written_at"],
  resources: undefined,
};
const MASKS = { kinds: ["phone" as const, "email" as const], words: ["falcon"] };

/** Values to swap, with different lengths, words and word counts. */
const VALUES = [
  { phone: "+49 171 2345678", email: "alice@example.org", word: "falcon" },
  { phone: "(555) 234-4567", email: "bob.the.builder@mail.longer-domain.example.com", word: "FALCON" },
];

async function openMasked(engine: string, { phone, email, word }: (typeof VALUES)[number]) {
  const world = await createWorld(engine);
  const rate = { burst: 1e9, per_second: 1e9 };
  addMcp(world.app, world.store, { now: () => world.clock.now, rate });
  const { token } = await world.allow([NOTES], { masks: MASKS });
  const long = `start ${`A line about nothing, ${phone}; ask ${email}. `.repeat(400)}end`;
  await world.store.ingest(world.owner_id, "home", [
    createNote("m1", {
      title: `Call ${phone}`,
      body: `zebra ${email} zebra`,
      written_at: "2026-05-01T00:00:00Z",
    }),
    createNote("m2", { title: "zebra", body: `Project ${word}`, written_at: "2026-05-02T00:00:00Z" }),
    createNote("m3", { title: "zebra long", body: long, written_at: "2026-05-03T00:00:00Z" }),
  ]);
  return { world, token };
}

const PROBES = VALUES.flatMap(({ phone, email, word }) => [phone, email, word, `"${email}"`]).concat(
  "zebra",
  "alice*",
  "ali*",
  "bob",
  "builder",
  "2345678",
  "171",
  "5552344567",
  "falcn",
  "alicee example",
  "example.org OR zebra",
  "-falcon zebra",
  "phone",
  "call",
);

for (const engine of ["sqlite", "postgres"])
  test(`R82 stores that differ only in masked values give equal answers (${engine})`, async (t) => {
    const opened = await Promise.all(VALUES.map((values) => openMasked(engine, values)));
    t.after(() => Promise.all(opened.map(({ world }) => world.close())));
    const answers = await Promise.all(opened.map(({ world, token }) => askAll(world, token)));
    for (const [at, answer] of (answers[0] ?? []).entries()) {
      const other = answers[1]?.[at] ?? "";
      const place = [...answer].findIndex((char, index) => char !== other[index]);
      const parts = [answer, other].map((text) => text.slice(Math.max(0, place - 200), place + 80));
      assert.ok(answer === other, parts.join("\n"));
    }
    // A search repeats its query.
    const others = answers.flat().filter((answer) => !/^(?:\/v1\/)?search|filter=/.test(answer));
    assert.ok(others.length > 10);
    for (const { phone, email } of VALUES)
      for (const answer of others)
        assert.ok(!answer.includes(email) && !answer.includes(phone), answer.slice(0, 300));
  });

/** Codes and values derived from them differ; their order of appearance must not. */
async function askAll(world: World, token: string): Promise<string[]> {
  const paths = [
    ...PROBES.map((q) => `/v1/search?q=${encodeURIComponent(q)}&facets=true`),
    "/v1/streams",
    "/v1/schema",
    "/v1/streams/notes/records?connection_id=home&limit=100",
    `/v1/streams/notes/records?connection_id=home&filter=${encodeURIComponent("title=Call +49 171 2345678")}`,
    "/v1/streams/notes/aggregate?connection_id=home&metric=count&group_by=title",
    "/v1/streams/notes/records/m3/fields/body?connection_id=home&q=end",
    "/v1/streams/notes/records/m3/fields/body?connection_id=home&offset_chars=9000",
    "/v1/streams/notes/records/m3/fields/body?connection_id=home&q=alice",
    "/v1/streams/notes/records?connection_id=home&changes_since=beginning",
  ];
  const answers: string[] = [];
  for (const path of paths) answers.push(normalise(`${path} ${await (await world.ask(path, token)).text()}`));
  const client = await connectApp(world.app, token);
  const call = async (name: string, args: Json) =>
    answers.push(normalise(`${name} ${JSON.stringify(await client.callTool({ name, arguments: args }))}`));
  for (const query of PROBES) await call("search", { query });
  for (const id of ["m1", "m2", "m3"]) await call("fetch", { id: `home/notes:${id}` });
  await call("read_record_field", { id: "home/notes:m3", field_path: "body", offset_chars: 12_000 });
  await call("query_records", { stream: "notes", connection_id: "home" });
  await client.close();
  return answers;
}

function normalise(text: string): string {
  const seen: string[] = [];
  return (
    text
      .replace(/\[⟦?(phone|email|word)⟧?-([b-z]{8})\]/g, (_, kind, code) => {
        if (!seen.includes(code)) seen.push(code);
        return `[${kind}-${seen.indexOf(code)}]`;
      })
      .replace(
        /sha256:[0-9a-f]{64}|"request_id":"[^"]*"|(?:cursor|since|after)\\*":\s*\\*"[\w.-]{20,}|"position":\d+/g,
        "",
      )
      .replace(/cursor=?\W{0,6}[\w.-]{30,}/g, "")
      // A window may begin or end inside a token.
      .replace(/-[b-z]{1,8}\]/g, "-]")
      .replace(/\[(?:phone|email|word)-[b-z]{0,8}(?=[…\\"\n])/g, "")
      // Sealed cursors are random.
      .replace(/pdpp:\/\/field-window\/[\w-]{230,}/g, "")
      .replace(/[0-9a-f]{12}(?=\W)/g, "")
  );
}

for (const engine of ["sqlite", "postgres"])
  test(`R83 an answer is charged, says what is left, and is refused beyond the budget (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    addMcp(world.app, world.store, { now: () => world.clock.now, rate: { burst: 1e9, per_second: 1e9 } });
    const { token } = await world.allow([NOTES], { budget: { records: 100, bytes_per_day: 40_000 } });
    const path = "/v1/search?q=insidemarker&limit=2";
    const first = await world.ask(path, token);
    const { budget, ...body }: Json = await first.json();
    const bytes = Buffer.byteLength(JSON.stringify(body));
    assert.deepEqual(budget, {
      records: 98,
      bytes_today: 40_000 - bytes,
      resets_at: "2026-07-02T00:00:00.000Z",
    });
    assert.equal(
      first.headers.get("Rungs-Budget"),
      `records=98, bytes_today=${40_000 - bytes}, resets_at="2026-07-02T00:00:00.000Z"`,
    );
    const client = await connectApp(world.app, token);
    const { content, structuredContent }: Json = await client.callTool({
      name: "query_records",
      arguments: { stream: "notes", connection_id: "home", limit: 1 },
    });
    const left = structuredContent.data.budget;
    assert.ok(left.records < 98, "counted");
    assert.match(
      content[0].text,
      new RegExp(`Left of this grant's budget: ${left.records} records, ${left.bytes_today} bytes today`),
    );
    const [{ id }] = structuredContent.results;
    const window: Json = await client.callTool({
      name: "read_record_field",
      arguments: { id, field_path: "body", offset_chars: 0 },
    });
    assert.match(
      window.content[0].text,
      /Left of this grant's budget: \d+ records, \d+ bytes today; the day ends/,
    );
    assert.equal(window.structuredContent.budget, undefined, "the form of a window is fixed");
    await client.close();
    let refused: Json;
    for (let asked = 0; asked < 60 && !refused; asked += 1) {
      const answer = await world.ask(path, token);
      const told: Json = await answer.json();
      if (answer.status !== 200)
        refused = { status: answer.status, retry: answer.headers.get("Retry-After"), ...told.error };
    }
    assert.deepEqual([refused.status, refused.code], [429, "budget_exhausted"]);
    assert.equal(refused.resets_at, "2026-07-02T00:00:00.000Z");
    assert.ok(Number(refused.retry) > 0 && Number(refused.retry) <= 86_400);
    assert.ok(refused.budget.bytes_today < bytes);
    world.clock.now += 86_400_000;
    assert.equal((await world.ask(path, token)).status, 200);
    const reader = ((await world.ask("/v1/export", token)).body as ReadableStream<Uint8Array>).getReader();
    const lines: Uint8Array[] = [];
    const isWhole = await (async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) lines.push(next.value);
      return true;
    })().catch(() => false);
    assert.equal(isWhole, false);
    assert.match(Buffer.concat(lines).toString(), /"code":"budget_exhausted"[^\n]*\n$/);
    const usage = await world.store.getUsage(
      world.owner_id,
      (await world.store.listGrants(world.owner_id)).find(({ grant }) => grant.budget)?.grant.grant_id ?? "",
      "2026-07-02",
    );
    assert.ok(usage.day_bytes <= 40_000 && usage.records <= 100, JSON.stringify(usage));
  });

test("R83 a page requested again in a shorter form is charged once", async (t) => {
  const world = await createWorld("sqlite");
  t.after(() => world.close());
  addMcp(world.app, world.store, { now: () => world.clock.now, rate: { burst: 1e9, per_second: 1e9 } });
  const body = "春のうららの隅田川のぼりくだりの船人が".repeat(60);
  await world.store.ingest(
    world.owner_id,
    "home",
    Array.from({ length: 60 }, (_, at) =>
      createNote(`han${at}`, { title: `櫂のしずくも花と散る${at}`, body }),
    ),
  );
  const { token, grant } = await world.allow([NOTES], { budget: { records: 1_000 } });
  const client = await connectApp(world.app, token);
  t.after(() => client.close());
  const list: Json = await client.callTool({
    name: "query_records",
    arguments: { stream: "notes", connection_id: "home", limit: 60 },
  });
  assert.ok(list.structuredContent.results.length < 60, "the page did not fit");
  const usage = () => world.store.getUsage(world.owner_id, grant.grant_id, "2026-07-01");
  assert.equal((await usage()).records, 60);
  // Over REST, repeats are charged each time, unless the second names the first and asks for less of the same.
  const path = "/v1/search?q=insidemarker&folded=false&limit=";
  const first = await world.ask(`${path}5`, token);
  const headers = { "Rungs-Shortens": first.headers.get("Request-Id") ?? "" };
  const again = (limit: number, more = "") => world.ask(`${path}${limit}${more}`, token, { headers });
  const counts: number[] = [];
  for (const ask of [() => again(3), () => again(3), () => again(2, "&order=newest")]) {
    const { records } = await usage();
    await ask();
    counts.push((await usage()).records - records);
  }
  assert.deepEqual(counts, [0, 3, 2]);
});
