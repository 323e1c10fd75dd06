import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, onEveryEngine, type World } from "../../testing/world.ts";

const notes = "/v1/streams/notes/records";

async function listAll(world: World, token?: string): Promise<string> {
  for (let cursor = ""; ; ) {
    const page = await world.json(`${notes}?limit=30${cursor}`, token);
    if (!page.has_more) return page.next_changes_since;
    assert.equal("next_changes_since" in page, false);
    cursor = `&cursor=${page.next_cursor}`;
  }
}

function put(world: World, key: string, data: Record<string, unknown>, connection = "home") {
  const envelope = { stream: "notes", key, emitted_at: "2026-06-01T00:00:00Z", data: { id: key, ...data } };
  return world.store.ingest(world.owner_id, connection, [envelope]);
}

onEveryEngine((world) => {
  test("changes_since lists what changed in the granted projection, and deletions", async () => {
    const since = await listAll(world());
    await put(world(), "fresh", { title: "Fresh" });
    await put(world(), "n2", { title: "Changed" });
    await put(world(), "n3", {
      title: "Note 3 home",
      body: "The insidemarker tea number 3",
      written_at: "2026-01-04T00:00:00.000Z",
      rating: 3,
      done: false,
      secret: "only this changed",
    });
    await put(world(), "n1", { title: "Elsewhere" }, "work");
    await world().store.deleteRecord(world().owner_id, "home", "notes", "n4");
    const page = await world().json(`${notes}?changes_since=${since}`);
    assert.deepEqual(
      page.data.map(({ id, deleted }: Json) => [id, deleted === true]),
      [
        ["fresh", false],
        ["n2", false],
        ["n4", true],
      ],
    );
    assert.deepEqual(Object.keys(page.data[2]), [
      "object",
      "id",
      "connection_id",
      "stream",
      "deleted",
      "deleted_at",
      "emitted_at",
    ]);
    const next = await world().json(`${notes}?changes_since=${page.next_changes_since}`);
    assert.deepEqual(next.data, []);
  });

  test("all pages of a session share one horizon", async () => {
    const since = await listAll(world());
    for (const key of ["a1", "a2", "a3"]) await put(world(), key, { title: key });
    const first = await world().json(`${notes}?changes_since=${since}&limit=2`);
    await put(world(), "a4", { title: "too late for this session" });
    const second = await world().json(`${notes}?changes_since=${since}&limit=2&cursor=${first.next_cursor}`);
    assert.deepEqual(
      [...first.data, ...second.data].map(({ id }: Json) => id),
      ["a1", "a2", "a3"],
    );
    const next = await world().json(`${notes}?changes_since=${second.next_changes_since}`);
    assert.deepEqual(
      next.data.map(({ id }: Json) => id),
      ["a4"],
    );
  });

  test("changes_since misses no write made while the list was read", async () => {
    const first = await world().json(`${notes}?limit=30`);
    await put(world(), "n29", { title: "Behind the reader", written_at: "2026-01-30T00:00:00.000Z" });
    const last = await world().json(`${notes}?limit=30&cursor=${first.next_cursor}`);
    const { data } = await world().json(`${notes}?changes_since=${last.next_changes_since}`);
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      ["n29"],
    );
  });

  test("a position that the store has pruned is 410", async () => {
    const since = await listAll(world());
    await put(world(), "later", { title: "Later" });
    await world().store.forgetDepartures(world().owner_id, 1_000_000);
    const { status, code, error } = await world().refusal(`${notes}?changes_since=${since}`);
    assert.deepEqual([status, code, error.param], [410, "cursor_expired", "changes_since"]);
  });

  test("R24 a changes cursor is bound to grant, stream and fields, and to its operation", async () => {
    const since = await listAll(world());
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home", "work"] }]);
    assert.equal((await world().refusal(`${notes}?changes_since=${since}&fields=id`)).code, "cursor_foreign");
    assert.equal(
      (await world().refusal(`${notes}?changes_since=${since}&connection_id=home`, token)).code,
      "cursor_foreign",
    );
    assert.equal((await world().refusal(`${notes}?cursor=${since}`)).code, "invalid_cursor");
    assert.equal((await world().refusal(`${notes}?changes_since=${since}&order=asc`)).error.param, "order");
  });

  test("R17 cursors do not reveal how much is written outside the grant", async () => {
    const before = await listAll(world());
    for (let at = 0; at < 120; at += 1) await put(world(), `x${at}`, { title: "elsewhere" }, "work");
    const after = await listAll(world());
    assert.equal(after.length, before.length);
    world().clock.now += 1;
    assert.notEqual(await listAll(world()), after, "no two are equal, whether or not anything was written");
  });
});
