import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreCuts, VALUE_CHARS } from "@rungs/contract";
import { countChars } from "@rungs/evidence";
import { INSIDE, type Json, LONG_TEXT, onEveryEngine } from "../../testing/world.ts";

const notes = "/v1/streams/notes/records";

onEveryEngine((world) => {
  test("R30 a small record is whole", async () => {
    const record = await world().json(`${notes}/n1`);
    assert.equal(record.data.body, `The ${INSIDE} tea number 1`);
    assert.equal("cuts" in record, false);
    assert.equal("secret" in record.data, false);
    assert.deepEqual((await world().json(`${notes}/n1?fields=title,id`)).data, {
      id: "n1",
      title: "Note 1 home",
    });
  });

  test("R85 a record is whole, long values included, unless the caller requests a preview", async () => {
    const record = await world().json(`${notes}/long`);
    assert.equal(record.data.body, LONG_TEXT);
    assert.equal("cuts" in record, false);
    const [listed] = (await world().json(`${notes}?limit=1`)).data;
    assert.deepEqual(listed, record);
    const [found] = (await world().json("/v1/streams/notes/query?filter=title%3DLong+note")).data;
    assert.deepEqual(found, record);
    const thread = await world().json(`${notes}/long/thread`);
    assert.deepEqual(thread.data, [record]);
    const json = await world().json(`${notes}/json`);
    assert.equal(json.data.payload.parts[2].text, "x".repeat(6000));
    const raw = await world().json(`${notes}/raw`);
    assert.equal(raw.data.raw, Buffer.from("png".repeat(3000)).toString("base64"));
    assert.deepEqual((await world().json(`${notes}/long?fields=body`)).data, { body: LONG_TEXT });
    assert.equal((await world().refusal(`${notes}/long?view=other`)).code, "invalid_request");
  });

  test("R31 a cut value is never a plain string: its mark has the preview and the real size", async () => {
    const record = await world().json(`${notes}/long?view=preview`);
    const size_chars = countChars(LONG_TEXT);
    const { preview } = record.data.body;
    assert.deepEqual(record.data.body, { object: "cut_value", preview, size_chars });
    const [cut] = record.cuts;
    assert.deepEqual([cut.path, cut.kind, cut.size_chars], ["body", "text", size_chars]);
    assert.ok(LONG_TEXT.startsWith(preview) && preview.length > 1000);
    const { operation, args } = cut.read;
    assert.deepEqual([operation, args.id, args.field_path], ["read_record_field", "home/notes:long", "body"]);
    const path = `${notes}/long/field-window?field=body&offset_chars=${args.offset_chars}`;
    const { window } = await world().json(path);
    assert.ok(LONG_TEXT.startsWith(preview + window.text));
    assert.equal(restoreCuts(record).cuts[0]?.prefix, preview);
  });

  test("R33 R34 a preview marks cut JSON too, and binary values are described", async () => {
    const json = await world().json(`${notes}/json?view=preview`);
    assert.ok(json.data.payload.preview.startsWith('{"parts":'));
    const raw = await world().json(`${notes}/raw?view=preview`);
    const { blob_id } = raw.cuts[0].binary;
    assert.deepEqual(raw.cuts[0].read, { operation: "read_blob", args: { blob_id } });
    assert.equal(raw.data.raw, `(binary: image/png, 9000 bytes; read_blob blob_id=${blob_id})`);
    assert.deepEqual(raw.shapes.at(-1), { name: "raw", media_type: "image/png", encoding: "base64" });
  });

  test("R85 beyond the size limit of a record, its longest values are marked, and a page ends early", async () => {
    const { store, owner_id } = world();
    const note = (key: string, list: string[]) => ({
      stream: "notes",
      key,
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id: key, title: "Short", payload: { list }, written_at: "2027-01-01T00:00:00Z" },
    });
    const large = ["big1", "big2"];
    const list = Array.from({ length: VALUE_CHARS.whole.page / 3_500 }, () => "many words ".repeat(200));
    const size_chars = JSON.stringify({ list }).length;
    await store.ingest(
      owner_id,
      "home",
      large.map((key) => note(key, list)),
    );
    const [marked] = (await world().json(`${notes}/big1/thread`)).data;
    assert.deepEqual([marked.data.title, marked.data.payload.size_chars], ["Short", size_chars]);
    assert.deepEqual([marked.data.payload.object, marked.cuts[0].path], ["cut_value", "payload"]);
    for (const path of [`${notes}?limit=10`, "/v1/streams/notes/query?limit=10"]) {
      const first = await world().json(path);
      assert.deepEqual([first.data.length, first.has_more], [1, true]);
      assert.deepEqual(first.data[0].data.payload, { list });
      const next = await world().json(`${path}&cursor=${first.next_cursor}`);
      assert.deepEqual(next.data[0].data.payload, { list });
      assert.equal(next.data.length, 10);
    }
    for (const key of large) await store.deleteRecord(owner_id, "home", "notes", key);
  });

  test("a list is ordered by the cursor field, newest first, records without it last", async () => {
    const { data, has_more, url } = await world().json(`${notes}?limit=3&fields=id,written_at`);
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      ["long", "n29", "n28"],
    );
    assert.deepEqual([has_more, url], [true, notes]);
    const ascending = await world().json(`${notes}?limit=2&order=asc&fields=id`);
    assert.deepEqual(
      ascending.data.map(({ id }: Json) => id),
      ["n0", "n1"],
    );
  });

  test("pages add up to the whole list, in both orders", async () => {
    for (const order of ["asc", "desc"]) {
      const ids: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await world().json(`${notes}?limit=8&order=${order}&fields=id${cursor}`);
        ids.push(...page.data.map(({ id }: Json) => id));
        if (!page.has_more) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      assert.equal(new Set(ids).size, 44);
      assert.equal(ids.length, 44);
    }
  });

  test("limit defaults to 25, and is capped at 100 with a warning", async () => {
    assert.equal((await world().json(notes)).data.length, 25);
    const { data, meta } = await world().json(`${notes}?limit=101`);
    assert.equal(data.length, 44);
    assert.deepEqual([meta.warnings[0].code, meta.warnings[0].param], ["limit_clamped", "limit"]);
    for (const limit of ["0", "-1", "x", ""])
      assert.equal((await world().refusal(`${notes}?limit=${limit}`)).error.param, "limit");
  });

  test("a list rejects filter, an unknown view and expand", async () => {
    for (const param of ["filter=rating%3D1", "view=titles", "expand=shelf"]) {
      const { status, code, error } = await world().refusal(`${notes}?${param}`);
      assert.deepEqual([status, code, error.param], [400, "invalid_request", param.split("=")[0]]);
    }
  });

  test("R24 a page cursor is bound to order, fields, stream, operation and grant", async () => {
    const { next_cursor } = await world().json(`${notes}?limit=1&order=asc`);
    const cursor = `cursor=${next_cursor}`;
    const codes = await Promise.all(
      [`${notes}?order=desc&${cursor}`, `${notes}?order=asc&fields=id&${cursor}`].map(
        async (path) => (await world().refusal(path)).code,
      ),
    );
    assert.deepEqual(codes, ["cursor_foreign", "cursor_foreign"]);
    assert.equal(
      (await world().refusal(`/v1/streams/notes/query?order=asc&${cursor}`)).code,
      "invalid_cursor",
    );
    assert.equal((await world().refusal(`/v1/search?q=a&${cursor}`)).code, "invalid_cursor");
    assert.equal(
      (await world().refusal(`${notes}?changes_since=${next_cursor}`)).error.param,
      "changes_since",
    );
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home"] }]);
    assert.equal((await world().refusal(`${notes}?order=asc&${cursor}`, token)).code, "cursor_foreign");
  });

  test("query_records filters and orders by granted scalar fields", async () => {
    const query = "/v1/streams/notes/query";
    const ids = async (more: string) =>
      (await world().json(`${query}?fields=id${more}`)).data.map(({ id }: Json) => id);
    assert.deepEqual(await ids("&filter=rating%3D4&filter=done%3Dtrue&order=asc"), ["n4", "n14", "n24"]);
    assert.deepEqual(await ids("&filter=written_at%3E%3D2026-01-29T00:00:00Z&order=asc"), [
      "n28",
      "n29",
      "long",
    ]);
    assert.deepEqual(await ids("&filter=title%3DRaw"), ["raw"]);
    const by = await world().json(`${query}?order_by=rating&order=desc&limit=7&fields=id,rating`);
    assert.deepEqual(
      by.data.map(({ data }: Json) => data.rating),
      [4, 4, 4, 4, 4, 4, 3],
    );
    const next = await world().json(
      `${query}?order_by=rating&order=desc&limit=7&fields=id,rating&cursor=${by.next_cursor}`,
    );
    assert.deepEqual(
      next.data.map(({ data }: Json) => data.rating),
      [3, 3, 3, 3, 3, 2, 2],
    );
  });

  test("R54 filters on fields outside the grant get the same error, whether or not the fields exist", async () => {
    const refused = async (filter: string) => {
      const { error } = await world().refusal(`/v1/streams/notes/query?filter=${encodeURIComponent(filter)}`);
      const { request_id: _, ...rest } = error;
      return rest;
    };
    assert.equal((await refused("secret=x")).code, "field_not_granted");
    assert.deepEqual(await refused("secret=x"), await refused("nothing=x"));
    assert.equal((await refused("body=x")).code, "invalid_request");
    assert.equal((await refused("rating=abc")).param, "filter");
    assert.equal(
      (await world().refusal("/v1/streams/notes/query?order_by=secret")).code,
      "field_not_granted",
    );
    assert.equal((await world().refusal(`${notes}?fields=id,secret`)).code, "field_not_granted");
    assert.equal((await world().refusal(`${notes}/n1?fields=nothing`)).code, "field_not_granted");
  });

  test("aggregate counts and measures what is granted", async () => {
    const ask = (more: string) => world().json(`/v1/streams/notes/aggregate?metric=${more}`);
    assert.equal((await ask("count")).groups[0].value, 44);
    const ratings = await ask("count&group_by=rating&filter=rating%3C2");
    assert.deepEqual(ratings.groups, [
      { group: 0, value: 6, record_count: 6 },
      { group: 1, value: 6, record_count: 6 },
    ]);
    assert.equal((await ask("avg&field=rating")).groups[0].value, 2);
    assert.deepEqual(
      (await ask("count&time_bucket=month")).groups.map(({ group }: Json) => group),
      ["2026-01", null, "2026-03"],
    );
    const clamped = await ask("count&group_by=title&limit=1000");
    assert.equal(clamped.meta.warnings[0].code, "limit_clamped");
    assert.equal(
      (await world().refusal("/v1/streams/notes/aggregate?metric=sum&field=secret")).code,
      "field_not_granted",
    );
    assert.equal((await world().refusal("/v1/streams/notes/aggregate?metric=sum")).error.param, "field");
    assert.equal((await world().refusal("/v1/streams/notes/aggregate?metric=median")).error.param, "metric");
  });
});
