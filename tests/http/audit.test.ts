import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredAuditEntry } from "@rungs/store";
import { onEveryEngine, type World } from "../../testing/world.ts";

/** The rows about the last request, without members that differ between runs. */
async function rowsAfter(world: World, path: string, init?: RequestInit, token?: string) {
  const answer = await world.ask(path, token, init);
  await answer.arrayBuffer();
  const rows = await world.store.listAudit(world.owner_id, { limit: 100 });
  const mine = rows.filter(({ request_id }) => request_id === answer.headers.get("Request-Id")).reverse();
  return mine.map(({ audit_id: _, at, request_id: __, ...row }) => {
    assert.equal(at, new Date(world.clock.now).toISOString());
    return row;
  });
}

onEveryEngine((world) => {
  const base = () => ({ client_id: "agent", grant_id: world().grant.grant_id, status: 200 });
  const place = { connection_id: "home", stream: "notes" };

  test("R55 every read adds an audit row: caller, grant, record, field, range and size", async () => {
    const record = { ...place, record_id: "n1" };
    const [fetched, ...none] = await rowsAfter(world(), "/v1/streams/notes/records/n1");
    assert.ok(fetched && fetched.bytes > 100);
    assert.deepEqual(none, []);
    assert.deepEqual(fetched, { ...base(), ...record, operation: "fetch", records: 1, bytes: fetched.bytes });
    const [window] = await rowsAfter(
      world(),
      "/v1/streams/notes/records/n1/field-window?field=body&offset_chars=2&limit_chars=5",
    );
    assert.deepEqual(window, {
      ...base(),
      ...record,
      operation: "read_record_field",
      field: "body",
      range_start: 2,
      range_end: 7,
      bytes: window?.bytes,
    });
    const [list] = await rowsAfter(world(), "/v1/streams/notes/records?limit=3");
    assert.deepEqual(list, {
      ...base(),
      ...place,
      operation: "list_records",
      records: 3,
      bytes: list?.bytes,
      progress: "ended",
    });
    const [blob] = await rowsAfter(world(), `/v1/blobs/${world().blob.blob_id}`, {
      headers: { Range: "bytes=2-5" },
    });
    assert.deepEqual(blob, {
      ...base(),
      ...place,
      status: 206,
      operation: "read_blob",
      record_id: "picture",
      field: "picture",
      range_start: 2,
      range_end: 6,
      bytes: 4,
      progress: "ended",
    });
    const [exported] = await rowsAfter(world(), "/v1/export");
    assert.deepEqual(exported, {
      ...base(),
      ...place,
      operation: "export",
      records: 44,
      bytes: exported?.bytes,
      progress: "ended",
    });
  });

  test("R55 a search adds an audit row for itself and one for each text that it shows", async () => {
    const rows = await rowsAfter(world(), "/v1/search?q=tea&limit=2");
    assert.deepEqual(
      rows.map(({ record_id, field, range_start, range_end, records }) => [
        record_id,
        field,
        range_start,
        range_end,
        records,
      ]),
      [
        [undefined, undefined, undefined, undefined, 2],
        ["n29", "body", 0, 30, undefined],
        ["n28", "body", 0, 30, undefined],
      ],
    );
    const [none] = await rowsAfter(world(), "/v1/search?q=nowhere");
    assert.deepEqual([none?.records, none?.grant_id], [0, world().grant.grant_id]);
  });

  test("R55 refused reads add an audit row with the requested record and field", async () => {
    const [refused] = await rowsAfter(world(), "/v1/streams/notes/records/n1/field-window?field=secret");
    assert.deepEqual(refused, {
      ...base(),
      operation: "read_record_field",
      status: 403,
      stream: "notes",
      record_id: "n1",
      field: "secret",
      bytes: 0,
    });
    const [method] = await rowsAfter(world(), "/v1/streams/notes/records/n1", { method: "DELETE" });
    assert.deepEqual([method?.operation, method?.status, method?.record_id], ["delete_record", 403, "n1"]);
  });

  test("R55 the audit log records the owner's calls too", async () => {
    const [row] = await rowsAfter(
      world(),
      "/v1/streams/shelves/records?connection_id=work",
      {},
      world().owner,
    );
    assert.deepEqual([row?.client_id, row?.grant_id, row?.records], ["owner", undefined, 1]);
  });

  test("R59 an export has its audit row while it is open, and true counts for each stream at its end", async () => {
    const { store, owner_id, owner } = world();
    const answer = await world().ask("/v1/export", owner);
    const request_id = answer.headers.get("Request-Id");
    const rows = async () =>
      (await store.listAudit(owner_id, { limit: 20 }))
        .filter((row) => row.request_id === request_id)
        .reverse();
    const places = ["home/notes", "home/shelves", "work/notes", "work/shelves"];
    const name = (row: StoredAuditEntry) => `${row.connection_id}/${row.stream}`;
    const open = await rows();
    assert.deepEqual(open.map(name).toSorted(), places);
    assert.ok(
      open.every(
        ({ progress, records, bytes }) => progress === "begun" && records === undefined && bytes === 0,
      ),
    );
    const lines = (await answer.text()).trimEnd().split("\n");
    const ended = await rows();
    assert.ok(ended.every(({ progress }) => progress === "ended"));
    for (const row of ended) {
      const own = lines.filter((line) => {
        const { connection_id, stream } = JSON.parse(line);
        return connection_id === row.connection_id && stream === row.stream;
      });
      const bytes = own.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      assert.deepEqual([row.records, row.bytes], [own.length, bytes], name(row));
    }
    assert.deepEqual(ended.map(name).toSorted(), places);
  });

  test("R59 a disconnected reader is recorded as broken off", async () => {
    const { store, owner_id } = world();
    const answer = await world().ask("/v1/export");
    await answer.body?.cancel();
    const [row] = await store.listAudit(owner_id, { limit: 1 });
    assert.deepEqual([row?.operation, row?.progress, row?.bytes], ["export", "broken", 0]);
    assert.equal((await store.checkAudit(owner_id)).problem, undefined);
  });

  test("R55 no audit row contains text of a record or a query", async () => {
    await world().json("/v1/search?q=insidemarker");
    const rows = await world().store.listAudit(world().owner_id, { limit: 1000 });
    // Ids are random: one may end in the name of a record.
    const withoutIds = (value: unknown) => JSON.stringify(value).replaceAll(/req_[\w-]+/g, "");
    assert.doesNotMatch(withoutIds(rows), /insidemarker|outsidemarker|tea/);
    assert.doesNotMatch(withoutIds(world().logs), /insidemarker|outsidemarker|tea|n1\b/);
  });

  test("R55 a read whose audit row cannot be written fails", async () => {
    const { store } = world();
    const { appendAudit } = store;
    store.appendAudit = () => Promise.reject(new Error("the disk is full: insidemarker"));
    try {
      const { status, code, error } = await world().refusal("/v1/streams/notes/records/n1");
      assert.deepEqual([status, code], [500, "internal_error"]);
      assert.doesNotMatch(JSON.stringify(error), /insidemarker/);
      assert.equal((await world().refusal("/v1/export")).status, 500, "before the first byte");
    } finally {
      store.appendAudit = appendAudit;
    }
    const entry = world().logs.find(({ failure }) => failure !== undefined);
    assert.ok(entry?.failure?.[0] === "Error");
    assert.doesNotMatch(JSON.stringify(world().logs), /insidemarker/);
  });
});
