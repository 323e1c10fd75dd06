import assert from "node:assert/strict";
import { test } from "node:test";
import { INSIDE, type Json, LONG_TEXT, ODD_KEYS, onEveryEngine } from "../../testing/world.ts";

onEveryEngine((world) => {
  const lines = async (path: string, token?: string): Promise<Json[]> => {
    const answer = await world().ask(path, token);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("Content-Type"), "application/x-ndjson");
    const text = await answer.text();
    assert.ok(text.endsWith("\n"));
    return text
      .slice(0, -1)
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  test("an export has every granted record with its whole values, and a final line", async () => {
    const all = await lines("/v1/export");
    assert.deepEqual(all.at(-1), { object: "export_end", record_count: 44 });
    const records = new Map(all.slice(0, -1).map((record) => [record.id, record]));
    assert.equal(records.size, 44);
    for (const key of ODD_KEYS) assert.equal(records.get(key)?.data.body, `odd ${INSIDE}`);
    assert.equal(records.get("long").data.body, LONG_TEXT);
    assert.equal(records.get("json").data.payload.parts[2].text, "x".repeat(6000));
    assert.equal(Buffer.from(records.get("raw").data.raw, "base64").length, 9000);
    assert.equal(records.get("picture").data.picture.filename, "a.png");
    assert.equal("cuts" in records.get("long"), false);
    for (const record of records.values()) assert.equal("secret" in record.data, false);
  });

  test("an export narrows to a stream and a connection, within the grant", async () => {
    const owner = world().owner;
    assert.equal((await lines("/v1/export", owner)).at(-1).record_count, 44 + 31 + 2);
    assert.equal((await lines("/v1/export?stream=shelves", owner)).at(-1).record_count, 2);
    assert.equal((await lines("/v1/export?stream=notes&connection_id=work", owner)).at(-1).record_count, 31);
    assert.equal((await world().refusal("/v1/export?connection_id=work")).code, "grant_stream_not_allowed");
  });

  test("any text round-trips: quotes, controls, surrogate pairs at a chunk boundary", async () => {
    const { store, owner_id } = world();
    const body = `${"😀".repeat(65_535)}"\\\u0000\u2028\r\n${"é".repeat(70_000)}`;
    const envelope = {
      stream: "notes",
      key: "odd-text",
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id: "odd-text", body },
    };
    await store.ingest(owner_id, "home", [envelope]);
    const found = (await lines("/v1/export")).find(({ id }) => id === "odd-text");
    assert.ok(found.data.body === body);
    await store.deleteRecord(owner_id, "home", "notes", "odd-text");
  });

  test("records changed or deleted during an export are each written in one consistent state", async () => {
    const { store, owner_id, owner } = world();
    const keys = Array.from({ length: 60 }, (_, at) => `moving${at}`);
    const write = (word: string) =>
      store.ingest(
        owner_id,
        "work",
        keys.map((key) => ({
          stream: "notes",
          key,
          emitted_at: "2026-05-01T00:00:00Z",
          data: { id: key, raw: `${word}\n`.repeat(20_000) },
        })),
      );
    await write("old");
    const answer = await world().ask("/v1/export?connection_id=work", owner);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? "";
    await write("new");
    await store.deleteRecord(owner_id, "work", "notes", "moving7");
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
    const found = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
    assert.deepEqual(found.at(-1), { object: "export_end", record_count: found.length - 1 });
    const moving = found.filter(({ id }) => keys.includes(id));
    const states = new Set(moving.flatMap(({ data }) => [...new Set(data.raw.split("\n"))].join("")));
    assert.deepEqual([...states].toSorted(), ["new", "old"]);
    assert.ok(moving.length >= keys.length - 1);
    for (const key of keys) await store.deleteRecord(owner_id, "work", "notes", key);
  });

  test("an export never holds more than a page and a chunk in memory", async () => {
    const { store, owner_id, owner } = world();
    // Not searchable, so that storing it costs no index.
    const raw = "bGluZSBvZiB0ZXh0\n".repeat(35_300);
    for (let at = 0; at < 30; at += 1) {
      const key = `e${at}`;
      const data = { id: key, raw };
      await store.ingest(owner_id, "work", [
        { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data },
      ]);
    }
    const before = store.traffic.bytes;
    const answer = await world().ask("/v1/export?connection_id=work", owner);
    const reader = answer.body?.getReader();
    for (let at = 0; at < 3; at += 1) await reader?.read();
    const read = store.traffic.bytes - before;
    assert.ok(read < 3_000_000, `${read} bytes were read for three pieces of an answer of 18 MB`);
    await reader?.cancel();
    const [row] = await store.listAudit(owner_id, { limit: 1 });
    assert.deepEqual(
      [row?.operation, row?.connection_id],
      ["export", "work"],
      "a reader who leaves is recorded too",
    );
    for (let at = 0; at < 30; at += 1) await store.deleteRecord(owner_id, "work", "notes", `e${at}`);
  });
});
