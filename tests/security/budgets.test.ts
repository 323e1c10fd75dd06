/** Budgets hold for every request, and for any number of concurrent ones (R83). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer, limits, openSealer } from "@rungs/server";
import { createNote } from "../../testing/library.ts";
import { createWorld, type Json } from "../../testing/world.ts";

const NOTES = {
  name: "notes",
  instance_ids: ["home"],
  fields: ["id", "title", "topic", "rating", "written_at", "picture"],
  resources: undefined,
};

for (const engine of ["sqlite", "postgres"]) {
  test(`R83 groups and extreme values count as records (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    const { token } = await world.allow([NOTES], { budget: { records: 40 } });
    const path = "/v1/streams/notes/aggregate?connection_id=home&limit=15&";
    const left = async (asked: string) => (await world.json<Json>(path + asked, token)).budget.records;
    assert.equal(await left("metric=count"), 40, "a number alone shows no record");
    assert.equal(await left("metric=max&field=rating"), 39);
    assert.equal(await left("metric=sum&field=rating&filter=id=n1"), 38, "the value of one record");
    assert.equal(await left("metric=max&field=rating&group_by=id"), 23);
    assert.equal(await left("metric=count&time_bucket=minute"), 8);
    const { code } = await world.refusal(`${path}metric=max&field=rating&group_by=id`, token);
    assert.equal(code, "budget_exhausted");
  });

  test(`R83 the counts beside a search count as records (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    const { token } = await world.allow([NOTES], { budget: { records: 100 } });
    const notes = Array.from({ length: 12 }, (_, month) =>
      createNote(`month${month}`, {
        title: "quince",
        written_at: new Date(Date.UTC(2025, month, 1)).toISOString(),
      }),
    );
    await world.store.ingest(world.owner_id, "home", notes);
    const ask = (asked: string) => world.json<Json>(`/v1/search?q=quince&folded=false&${asked}`, token);
    assert.equal((await ask("limit=2")).budget.records, 98);
    const { facets, budget } = await ask("limit=2&facets=true");
    assert.equal(facets.months.length, 12);
    assert.equal(budget.records, 86);
  });

  test(`R83 an export counts a record before any of it is sent (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    const long = "quince ".repeat(60_000);
    await world.store.ingest(world.owner_id, "home", [
      createNote("first", { title: long, written_at: "2020-01-01T00:00:00Z" }),
    ]);
    const { token } = await world.allow([NOTES], { budget: { records: 1 } });
    await world.json("/v1/streams/notes/records?connection_id=home&limit=1", token);
    const answer = await world.ask("/v1/export?stream=notes", token);
    const lines: Uint8Array[] = [];
    await (async () => {
      for await (const each of answer.body ?? []) lines.push(each);
    })().catch(() => undefined);
    const text = Buffer.concat(lines).toString();
    assert.match(text, /budget_exhausted/);
    assert.ok(!text.includes("quince"), "none of the record");
  });

  test(`R83 with nothing left, no refusal tells what is there (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    const { token } = await world.allow([NOTES], { budget: { records: 1 } });
    const read = "/v1/streams/notes/records";
    const paid = await world.ask(`${read}?connection_id=home&limit=1`, token);
    const headers = { "Rungs-Shortens": paid.headers.get("Request-Id") ?? "" };
    assert.match(headers["Rungs-Shortens"], /^req/);
    for (const path of [
      "/v1/search?q=nowhere",
      "/v1/search?q=tea",
      `${read}/n1?connection_id=home`,
      `${read}/never-was?connection_id=home`,
      `${read}/n1/field-window?connection_id=home&field_path=title`,
      `${read}/never-was/thread?connection_id=home`,
      "/v1/streams/notes/query?connection_id=home&filter=title=nowhere",
      "/v1/streams/notes/aggregate?connection_id=home&metric=count&filter=id=n1",
      "/v1/export",
      `/v1/blobs/${world.blob.blob_id}`,
      `/v1/blobs/${"0".repeat(64)}`,
    ])
      for (const init of [{}, { headers }])
        assert.equal((await world.refusal(path, token, init)).code, "budget_exhausted", path);
    await world.json("/v1/schema", token);
  });

  test(`R83 concurrent requests on two servers share one budget (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    const another = await world.openAnother();
    const { token, grant } = await world.allow([NOTES], {
      budget: { records: 30, bytes_per_day: 1_000_000 },
    });
    const rate = { burst: 1e9, per_second: 1e9 };
    const share = { ...limits.share, requests: 1e9 };
    const server = createServer({
      store: another,
      sealer: await openSealer(another),
      now: () => world.clock.now,
      log: () => undefined,
      limits: { rate, share },
    });
    const paths = ["/v1/streams/notes/records?connection_id=home&limit=2", "/v1/search?q=tea&limit=2"];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => {
        const path = paths[at % 2] as string;
        const headers = { Authorization: `Bearer ${token}` };
        return at % 3 === 0 ? server.request(path, { headers }) : world.ask(path, token);
      }),
    );
    const bodies: Json[] = await Promise.all(answers.map((answer) => answer.json()));
    const given = bodies.reduce((sum, { data = [] }) => sum + data.length, 0);
    assert.ok(given <= 30 && given >= 28, `${given} records`);
    const { records } = await world.store.getUsage(world.owner_id, grant.grant_id, "2026-07-01");
    assert.equal(records, given);
  });
}
