import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "@rungs/client";
import { createOwnerToken, measureSource } from "@rungs/server";
import { type ServedConsole, serveConsole } from "../../../../testing/console/served.ts";
import { createNote } from "../../../../testing/library.ts";
import { createFiguresReader } from "./source-figures.ts";
import { describeSources } from "./sources.ts";

let served: ServedConsole;
before(async () => {
  served = await serveConsole();
});
after(() => served?.close());

test("a page gets the known figures, stale ones during a recount, and all of them later", async () => {
  const { parts, url } = served;
  const client = createClient({ base_url: url, token: await createOwnerToken(parts) });
  const readNow = createFiguresReader(parts, 0);
  const settle = async () => {
    for (;;) {
      const sources = await describeSources(client);
      const known = await readNow(client, sources);
      if (known.is_complete) return known.figures;
      await wait(20);
    }
  };
  const count = (figures: Awaited<ReturnType<typeof settle>>) =>
    [...(figures.get("home")?.timeline?.counts.values() ?? [])].reduce((sum, each) => sum + each, 0);

  const first = await readNow(client, await describeSources(client));
  assert.equal(first.is_complete, false);
  const whole = await settle();
  assert.equal(count(whole), 32);
  assert.ok((whole.get("home")?.sizes[0]?.measured_bytes ?? 0) > 1_000);

  await parts.store.ingest(parts.owner_id, "home", [
    createNote("new", { written_at: "2026-03-01T00:00:00Z" }),
  ]);
  const stale = await readNow(client, await describeSources(client));
  assert.equal(count(stale.figures), stale.is_complete ? 33 : 32);
  assert.equal(count(await settle()), 33);
});

test("R55 measuring a source's size is in the audit log, a row for each stream", async () => {
  const { parts } = served;
  const [last] = await parts.store.listAudit(parts.owner_id, { limit: 1 });
  const sizes = await measureSource(parts, "home");
  const rows = (await parts.store.listAudit(parts.owner_id, { limit: sizes.length + 1 })).reverse();
  assert.equal(rows[0]?.audit_id, last?.audit_id);
  assert.deepEqual(
    rows.slice(1).map((row) => [row.client_id, row.operation, row.connection_id, row.stream, row.records]),
    sizes.map((each) => ["owner", "aggregate", "home", each.stream, each.measured_records]),
  );
  assert.ok(sizes.length > 0);
});

test("a source whose count fails has no figures, and the page does not wait for it again", async () => {
  const { parts, url } = served;
  const client = createClient({ base_url: url, token: await createOwnerToken(parts) });
  const read = createFiguresReader(parts, 5_000);
  const [source] = await describeSources(client);
  assert.ok(source);
  const streams = source.streams.map((each) => ({ ...each, connection_id: "gone" }));
  const gone = { ...source, connection_id: "gone", streams };
  const { figures, is_complete } = await read(client, [gone]);
  assert.deepEqual([is_complete, figures.get("gone")?.timeline], [true, undefined]);
});

test("a new record in a large source triggers a recount after a minute, not at once", async () => {
  const { parts, url } = served;
  const client = createClient({ base_url: url, token: await createOwnerToken(parts) });
  let now_ms = Date.UTC(2026, 0, 1);
  const read = createFiguresReader({ ...parts, now: () => now_ms }, 5_000);
  const source = (await describeSources(client)).find(({ connection_id }) => connection_id === "home");
  assert.ok(source);
  const grown = (record_count: number) => [
    { ...source, streams: source.streams.map((each) => ({ ...each, record_count })) },
  ];
  assert.equal((await read(client, grown(10_000))).is_complete, true);
  const before = await countReads();
  assert.equal((await read(client, grown(10_001))).is_complete, true);
  assert.equal(await countReads(), before);
  now_ms += 60_000;
  await read(client, grown(10_001));
  assert.ok((await countReads()) > before);
  const after = await countReads();
  await read(client, grown(20_000));
  assert.ok((await countReads()) > after);
});

async function countReads(): Promise<number> {
  const { parts } = served;
  return (await parts.store.listAudit(parts.owner_id, { limit: 1_000 })).length;
}
