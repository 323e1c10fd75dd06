import assert from "node:assert/strict";
import { test } from "node:test";
import { createNote } from "../../testing/library.ts";
import { INSIDE, LONG_TEXT, OUTSIDE, onEveryEngine } from "../../testing/world.ts";
import { createSpecificationClient } from "./client.ts";

onEveryEngine((world) => {
  const connect = (token = world().client) =>
    createSpecificationClient(async (path, init) => world().app.request(path, init), token);

  test("R85 every answer has the specification's shape, with and without its version header", async () => {
    for (const headers of [{}, { "PDPP-Version": "2026-04-06" }]) {
      for (const token of [world().client, world().owner]) {
        const client = connect(token);
        const at = "connection_id=home";
        await client.get("streams", "/v1/streams", headers);
        await client.get("stream", `/v1/streams/notes?${at}`, headers);
        await client.get("stream", "/v1/streams/notes?connector_instance_id=home", headers);
        await client.get("records", `/v1/streams/notes/records?${at}`, headers);
        await client.get("record", `/v1/streams/notes/records/n1?${at}`, headers);
        await client.get("search", `/v1/search?q=tea&streams=notes`, headers);
        await client.get("schema", "/v1/schema", headers);
        await client.get("schema", "/v1/schema?view=compact", headers);
        await client.get("aggregate", `/v1/streams/notes/aggregate?${at}&metric=count`, headers);
      }
    }
  });

  test("R85 a long value arrives whole in a record, in a list and in windows by offset", async () => {
    const client = connect();
    const record = await client.get("record", "/v1/streams/notes/records/long");
    assert.equal(record.data.body, LONG_TEXT);
    assert.equal(await client.readText("notes", "long", "body"), LONG_TEXT);
    const listed = await client.listAll("notes");
    assert.equal(listed.find(({ id }) => id === "long").data.body, LONG_TEXT);
    assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
  });

  test("R85 a reference to another record stays data, and a long field arrives whole", async () => {
    const body = `${"The river 漢字 😀 runs on. ".repeat(4000)}`.slice(0, 71_506);
    const payload = {
      resource_ref: { source_id: "https://rungs.example/x", stream: "notes", record_id: "n1" },
    };
    await world().store.ingest(world().owner_id, "home", [
      createNote("river", { title: "River", body, payload }),
    ]);
    const client = connect();
    const { data } = await client.get("record", "/v1/streams/notes/records/river");
    assert.equal(data.body, body);
    assert.deepEqual(data.payload, payload);
    assert.equal(await client.readText("notes", "river", "body"), body);
  });

  test("R85 a window around a match says where the match is", async () => {
    const path = `/v1/streams/notes/records/long/field-window?field=body&q=${INSIDE}`;
    const { window } = await connect().get("window", path);
    const { match_start_chars, match_end_chars, start_chars, text } = window;
    assert.equal(text.slice(match_start_chars - start_chars, match_end_chars - start_chars), INSIDE);
  });

  test("R85 counts and groups carry numbers", async () => {
    const client = connect();
    const all = await client.listAll("notes");
    const path = "/v1/streams/notes/aggregate?metric=count";
    const { value, filtered_record_count } = await client.get("aggregate", path);
    assert.deepEqual([value, filtered_record_count], [all.length, all.length]);
    const page = await client.get("records", "/v1/streams/notes/records?limit=1&count=exact");
    assert.deepEqual(page.meta.count, { kind: "exact", value: all.length });

    const { groups } = await client.get("aggregate", `${path}&group_by=rating`);
    for (const { key, count } of groups) {
      assert.equal(count, all.filter(({ data }) => (data.rating ?? null) === key).length);
    }
    const months = await client.get(
      "aggregate",
      `${path}&group_by_time=written_at&granularity=month&time_zone=UTC`,
    );
    const january = months.groups.find(({ key }: { key: string }) => key?.startsWith("2026-01"));
    assert.equal(january.count, 30);
    assert.equal(months.granularity, "month");
  });

  test("R85 times group by every granularity, in a time zone, in order, and report what the limit dropped", async () => {
    const client = connect();
    const path = "/v1/streams/notes/aggregate?metric=count&group_by_time=written_at";
    const weeks = await client.get(
      "aggregate",
      `${path}&granularity=week&time_zone=America/New_York&limit=2`,
    );
    const keys = weeks.groups.map(({ key }: { key: string }) => key);
    assert.deepEqual(keys, [...keys].toSorted());
    assert.deepEqual(
      [weeks.time_zone, weeks.group_by_time, weeks.limit],
      ["America/New_York", "written_at", 2],
    );
    const shown = weeks.groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    assert.equal(shown + weeks.other_count, weeks.filtered_record_count);
    const { groups } = await client.get("aggregate", `${path}&granularity=quarter`);
    assert.ok(groups.some(({ key }: { key: string | null }) => key === "2026-01-01"));
    for (const query of [
      "group_by_time=written_at",
      "granularity=day",
      "time_zone=UTC",
      "group_by_time=written_at&granularity=fortnight",
      "group_by_time=written_at&granularity=day&time_zone=%2B05:00",
      "group_by_time=title&granularity=day",
    ]) {
      const { error } = await client.get("error", `/v1/streams/notes/aggregate?metric=count&${query}`);
      assert.equal(error.code, "invalid_request", query);
    }
  });

  test("R85 sort names the cursor field, and a projection includes the required fields", async () => {
    const client = connect();
    const oldest = await client.get(
      "records",
      "/v1/streams/notes/records?sort=written_at&limit=1&fields=title",
    );
    assert.deepEqual(oldest.data[0].data, { id: "n0", title: "Note 0 home" });
    const newest = await client.get("records", "/v1/streams/notes/records?sort=-written_at&limit=1");
    assert.equal(newest.data[0].id, "long");
    for (const query of ["sort=title", "count=estimated", "filter[title]=x", "expand[]=shelf", "nothing=1"]) {
      const { error } = await client.get("error", `/v1/streams/notes/records?${query}`);
      assert.deepEqual([error.type, error.code], ["invalid_request_error", "invalid_request"], query);
    }
  });

  test("R85 a hit carries its key, source, time and excerpts, and its URL reads the record", async () => {
    const client = connect();
    const { data } = await client.get("search", `/v1/search?q=${INSIDE}&limit=3`);
    for (const { record_key, snippet, evidence_excerpts, record_url } of data) {
      assert.ok(snippet.text.includes(INSIDE));
      assert.ok(
        evidence_excerpts.some((each: { preview_text: string }) => each.preview_text === snippet.text),
      );
      assert.equal((await client.get("record", record_url)).id, record_key);
    }
    assert.equal(data.length, 3);
  });

  test("R85 search by words, by meaning and by both, on separate routes and by mode, within the grant", async () => {
    const client = connect();
    const discovery = await client.get("protected_resource", "/.well-known/oauth-protected-resource");
    for (const mode of ["semantic", "hybrid"] as const) {
      const { endpoint, supported } = discovery.capabilities[`${mode}_retrieval`];
      assert.equal(supported, true);
      const byRoute = await client.get(mode, `${endpoint}?q=tea&limit=3&streams=notes`);
      const byMode = await client.get(mode, `/v1/search?q=tea&limit=3&streams=notes&mode=${mode}`);
      assert.ok(byRoute.data.length > 0, mode);
      assert.deepEqual(byMode.data, byRoute.data, mode);
      const more = await client.get(
        mode,
        `${endpoint}?q=tea&limit=3&streams=notes&cursor=${encodeURIComponent(byRoute.next_cursor)}`,
      );
      const keys = [...byRoute.data, ...more.data].map(({ record_key }) => record_key);
      assert.equal(new Set(keys).size, keys.length);
      const { error } = await client.get(
        "error",
        `/v1/search?q=tea&limit=3&streams=notes&cursor=${encodeURIComponent(byRoute.next_cursor)}&mode=lexical`,
      );
      assert.equal(error.code, "invalid_cursor");
      assert.doesNotMatch(JSON.stringify(byRoute), new RegExp(OUTSIDE));
      const outside = await client.get("error", `${endpoint}?q=tea&streams=shelves`);
      assert.equal(outside.error.code, "grant_stream_not_allowed");
      await client.get("error", `${endpoint}?q=tea&mode=lexical`);
      await client.get("error", `${endpoint}?q=tea&vector=1`);
    }
    await client.get("search", "/v1/search?q=tea&mode=lexical");
    for (const query of ["order=newest", "facets=true"])
      await client.get("error", `/v1/search?q=tea&mode=semantic&${query}`);
  });

  test("R54 metadata names no field, count or connector outside the grant", async () => {
    const client = connect();
    const answers = [
      await client.get("schema", "/v1/schema"),
      await client.get("stream", "/v1/streams/notes"),
      await client.get("streams", "/v1/streams"),
    ];
    for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), /secret|shelves|work|hidden/);
    assert.doesNotMatch(JSON.stringify(await client.get("search", "/v1/search?q=tea")), new RegExp(OUTSIDE));
  });

  test("R85 refusals have the codes of the specification's table, and ours as detail", async () => {
    const page = await connect().get("records", "/v1/streams/notes/records?limit=1");
    const cursor = encodeURIComponent(page.next_cursor);
    for (const [token, path, type, code, detail] of [
      ["nobody", "/v1/streams", "authentication_error", "authentication_error", "invalid_token"],
      [
        world().client,
        "/v1/streams/shelves/records",
        "permission_error",
        "grant_stream_not_allowed",
        undefined,
      ],
      [world().client, "/v1/streams/notes/records/none", "not_found_error", "not_found", undefined],
      [
        world().client,
        `/v1/streams/notes/records?order=asc&cursor=${cursor}`,
        "invalid_request_error",
        "invalid_cursor",
        "cursor_foreign",
      ],
      [world().client, "/v1/blobs/none", "not_found_error", "blob_not_found", undefined],
    ] as const) {
      const { error } = await connect(token).get("error", path);
      assert.deepEqual([error.type, error.code, error.detail_code], [type, code, detail], path);
    }
    const { error } = await connect().get("error", "/v1/streams", { "PDPP-Version": "2025-01-01" });
    assert.deepEqual(
      [error.code, error.supported_versions],
      ["unsupported_version", ["2026-04-06", "2026-07-01"]],
    );
  });

  test("changes arrive with tombstones, and the last page seeds the next session", async () => {
    const client = connect(world().owner);
    const path = "/v1/streams/notes/records?connection_id=home&limit=100";
    const { next_changes_since } = await client.get("records", path);
    await world().ask("/v1/streams/notes/records/n9?connection_id=home", world().owner, { method: "DELETE" });
    const since = encodeURIComponent(next_changes_since);
    const changes = await client.get("records", `${path}&changes_since=${since}`);
    assert.deepEqual(
      changes.data.map(({ id, deleted }: { id: string; deleted?: boolean }) => [id, deleted]),
      [["n9", true]],
    );
    assert.ok(changes.next_changes_since);
  });
});
