import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRecordUri } from "@rungs/evidence";
import { GRANTED_FIELDS, ODD_KEYS, onEveryEngine } from "../../testing/world.ts";

const recordPath = (id: string) => `/v1/streams/notes/records/${encodeURIComponent(id)}`;

onEveryEngine((world) => {
  test("R03 any key is fetched by its percent-encoded path, and the answer carries its handle", async () => {
    for (const key of ODD_KEYS) {
      const isBare = key !== ".." && !key.startsWith("pdpp://");
      const id = isBare ? key : formatRecordUri({ connection_id: "home", stream: "notes", record_id: key });
      const record = await world().json(recordPath(id));
      assert.equal(record.id, key);
      assert.equal(record.data.id, key);
      const window = await world().json(`${recordPath(id)}/field-window?field_path=body`);
      assert.deepEqual(window.record, {
        id: record.handle,
        connection_id: "home",
        stream: "notes",
        record_id: key,
      });
    }
  });

  test("R03 a compound key is fetched by its canonical text", async () => {
    const { token } = await world().allow([{ name: "shelves", instance_ids: ["home"] }]);
    const id = encodeURIComponent('["attic","7"]');
    const record = await world().json(`/v1/streams/shelves/records/${id}`, token);
    assert.deepEqual(record.data.number, "7");
    assert.equal(record.handle, 'home/shelves:["attic","7"]');
  });

  test("R04 an unscoped read that several granted connections could answer names them", async () => {
    const { token } = await world().allow([
      { name: "notes", instance_ids: ["home", "work"], fields: GRANTED_FIELDS },
    ]);
    for (const path of [
      recordPath("n1"),
      `${recordPath("n1")}/field-window?field=body`,
      "/v1/streams/notes/records",
    ]) {
      const { status, code, error } = await world().refusal(path, token);
      assert.deepEqual({ status, code }, { status: 409, code: "ambiguous_connection" }, path);
      assert.deepEqual(error.available_connections, [
        { connection_id: "home", display_name: "Library at home" },
        { connection_id: "work", display_name: "Library at work" },
      ]);
      assert.equal(error.retry_with, "connection_id");
      const joint = path.includes("?") ? "&" : "?";
      await world().json(`${path}${joint}connection_id=work`, token);
    }
  });

  test("R04 a record that only one connection holds needs no connection_id", async () => {
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home", "work"] }]);
    const record = await world().json(recordPath("marks"), token);
    assert.equal(record.connection_id, "home");
    assert.equal((await world().refusal(recordPath("nowhere"), token)).code, "not_found");
  });

  test("R05 an id with one connection and a connection_id with another are refused", async () => {
    const id = formatRecordUri({ connection_id: "home", stream: "notes", record_id: "n1" });
    const { status, code } = await world().refusal(`${recordPath(id)}?connection_id=work`);
    assert.deepEqual({ status, code }, { status: 400, code: "connection_conflict" });
  });

  test("R06 an invalid segment is refused by name", async () => {
    const long = "x".repeat(1025);
    for (const [path, param] of [
      ["/v1/streams/no%20te/records/n1", "stream"],
      ["/v1/streams/a%2Fb/records/n1", "stream"],
      [`/v1/streams/notes/records/${long}`, "id"],
      ["/v1/streams/notes/records/n1?connection_id=a%2Fb", "connection_id"],
      ["/v1/streams/notes/records/n1?connection_id=", "connection_id"],
    ] as const) {
      const { code, error } = await world().refusal(path);
      assert.deepEqual([code, error.param], ["invalid_request", param], path);
    }
  });

  test("R07 a record URI means the same record, and one of another stream is refused", async () => {
    const id = formatRecordUri({ connection_id: "home", stream: "notes", record_id: "n1" });
    assert.deepEqual(await world().json(recordPath(id)), await world().json(recordPath("n1")));
    const other = formatRecordUri({ connection_id: "home", stream: "shelves", record_id: "n1" });
    assert.equal((await world().refusal(recordPath(other))).code, "invalid_record_id");
  });

  test("R08 a handle grants nothing: outside the grant, it fails like the plain call", async () => {
    const id = formatRecordUri({ connection_id: "work", stream: "notes", record_id: "n1" });
    const byHandle = await world().refusal(recordPath(id));
    const byCall = await world().refusal(`${recordPath("n1")}?connection_id=work`);
    const byNothing = await world().refusal(`${recordPath("n1")}?connection_id=nothing`);
    const bare = ({ request_id: _, ...rest }: Record<string, unknown>) => rest;
    assert.equal(byHandle.code, "grant_stream_not_allowed");
    assert.deepEqual(bare(byHandle.error), bare(byCall.error));
    assert.deepEqual(bare(byHandle.error), bare(byNothing.error));
  });
});
