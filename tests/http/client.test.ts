import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, ServerUnreachable } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import { LONG_TEXT, ODD_KEYS, onEveryEngine } from "../../testing/world.ts";

onEveryEngine((world) => {
  const connect = (token?: string) =>
    createClient({
      base_url: "http://localhost/",
      token: token ?? world().client,
      fetch: (url, init) => world().app.request(url, init),
    });

  test("the client encodes a call by contract and returns a typed answer", async () => {
    const client = connect();
    const { data } = await client.call("search", { q: "tea", limit: 2 });
    assert.equal(data.length, 2);
    const [hit] = data;
    assert.ok(hit?.evidence[0]);
    const { stream, record_id: id } = hit;
    const { window } = await client.call("read_record_field", {
      stream,
      id,
      field_path: "body",
      limit_chars: 3,
    });
    assert.equal(window.text, "The");
    const filtered = await client.call("query_records", {
      stream,
      filter: ["rating=1", "done=true"],
      fields: ["id"],
    });
    assert.deepEqual(
      filtered.data.map((record) => record.id),
      ["n26", "n16", "n6"],
    );
  });

  test("R03 the client reads a record with any key", async () => {
    for (const id of ODD_KEYS) {
      const record = await connect().call("fetch", { connection_id: "home", stream: "notes", id });
      assert.equal(record.id, id);
    }
  });

  test("errors of the server are thrown with their code and details", async () => {
    await assert.rejects(connect().call("fetch", { stream: "notes", id: "nowhere" }), (error: ApiError) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        [error.code, error.details.param, typeof error.details.request_id],
        ["not_found", "id", "string"],
      );
      return true;
    });
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home", "work"] }]);
    await assert.rejects(connect(token).call("fetch", { stream: "notes", id: "n1" }), (error: ApiError) => {
      assert.equal((error.details.available_connections as unknown[]).length, 2);
      return true;
    });
  });

  test("an export streams record by record, and a truncated one throws", async () => {
    const ids: string[] = [];
    for await (const line of connect().exportRecords({})) {
      if (line.object === "record") ids.push(String(line.id));
      if (line.id === "long") assert.equal((line.data as { body: string }).body, LONG_TEXT);
    }
    assert.equal(ids.length, 44);
    const broken = createClient({
      base_url: "http://localhost",
      fetch: async () => new Response('{"object":"export_end","record_count":1}'),
    });
    await assert.rejects(broken.exportRecords({}).next(), { code: "unexpected_answer" });
  });

  test("a blob is returned whole or as a range", async () => {
    const { blob_id } = world().blob;
    const part = await connect().openBlob({ blob_id, range: "bytes=0-6" });
    assert.deepEqual(
      [part.start, part.size_bytes, part.total_bytes, part.mime_type],
      [0, 7, 24, "text/html"],
    );
    assert.equal(Buffer.concat(await Array.fromAsync(part.bytes)).toString(), "picture");
  });

  test("an unreachable server and an answer that breaks the contract give different errors", async () => {
    const gone = createClient({ base_url: "http://127.0.0.1:1" });
    await assert.rejects(gone.call("healthz", {}), ServerUnreachable);
    const answering = (body: string, status: number) =>
      createClient({ base_url: "http://localhost", fetch: async () => new Response(body, { status }) }).call(
        "healthz",
        {},
      );
    await assert.rejects(answering("{}", 200), { code: "unexpected_answer" });
    await assert.rejects(answering("<html>", 502), { code: "unexpected_answer", message: /502/ });
    await assert.rejects(answering("<html>", 200), { code: "unexpected_answer" });
  });
});
