import assert from "node:assert/strict";
import { test } from "node:test";
import { countChars, sliceChars } from "@rungs/evidence";
import { type Json, LONG_TEXT, onEveryEngine } from "../../testing/world.ts";

const window = (id: string, field: string, more = "") =>
  `/v1/streams/notes/records/${id}/field-window?field_path=${encodeURIComponent(field)}${more}`;

onEveryEngine((world) => {
  test("R20 a window is exactly record, field and window", async () => {
    const answer = await world().json(window("n1", "body"));
    const text = "The insidemarker tea number 1";
    assert.deepEqual(answer, {
      object: "field_window",
      record: { id: "home/notes:n1", connection_id: "home", stream: "notes", record_id: "n1" },
      field: {
        path: "body",
        mime_type: "text/plain",
        text_like: true,
        size_chars: text.length,
        digest: answer.field.digest,
      },
      window: {
        text,
        start_chars: 0,
        end_chars: text.length,
        limit_chars: 4096,
        complete: true,
        next_cursor: null,
        previous_cursor: null,
        match: null,
      },
    });
    assert.match(answer.field.digest, /^sha256:[0-9a-f]{64}$/);
  });

  test("R21 contradictory selectors and bounds beyond the limits are refused", async () => {
    for (const [more, param, code] of [
      ["&cursor=x&offset_chars=1", "offset_chars", "invalid_selector"],
      ["&cursor=x&q=a", "q", "invalid_selector"],
      ["&q=a&offset_chars=1", "offset_chars", "invalid_selector"],
      ["&before_chars=1", "before_chars", "invalid_selector"],
      ["&limit_chars=0", "limit_chars", "invalid_request"],
      ["&limit_chars=16385", "limit_chars", "invalid_request"],
      ["&q=a&before_chars=8193", "before_chars", "invalid_request"],
      ["&offset_chars=-1", "offset_chars", "invalid_request"],
      ["&offset_chars=1e3", "offset_chars", "invalid_request"],
      ["&field=body", "field_path", "invalid_request"],
    ] as const) {
      const refused = await world().refusal(window("long", "body", more));
      assert.deepEqual([refused.code, refused.error.param], [code, param], more);
    }
  });

  test("R22 windows joined by their cursors are the field, forwards and backwards", async () => {
    const read = async (first: string, way: "next_cursor" | "previous_cursor") => {
      const texts: string[] = [];
      for (let more = first; ; ) {
        const { window: cut } = await world().json(window("long", "body", more));
        texts.push(cut.text);
        if (cut[way] === null) return texts;
        more = `&cursor=${cut[way]}`;
      }
    };
    const limit = 5000;
    const forwards = await read(`&limit_chars=${limit}`, "next_cursor");
    assert.equal(forwards.join(""), LONG_TEXT);
    assert.equal(forwards.length, Math.ceil(countChars(LONG_TEXT) / limit));
    const backwards = await read(
      `&limit_chars=${limit}&offset_chars=${countChars(LONG_TEXT) - 100}`,
      "previous_cursor",
    );
    assert.equal(backwards.toReversed().join(""), LONG_TEXT);
  });

  test("R22 a cursor may be used with another limit", async () => {
    const { window: first } = await world().json(window("long", "body", "&limit_chars=100"));
    const { window: next } = await world().json(
      window("long", "body", `&cursor=${first.next_cursor}&limit_chars=50`),
    );
    assert.deepEqual([next.start_chars, next.limit_chars], [100, 50]);
    assert.equal(first.text + next.text, sliceChars(LONG_TEXT, 0, next.end_chars));
  });

  test("R23 a q window contains the match that search finds, and its position", async () => {
    const { window: cut } = await world().json(
      window("long", "body", '&q="LINE 2000"&before_chars=20&after_chars=30'),
    );
    const { q, start_chars, end_chars } = cut.match;
    assert.equal(q, '"LINE 2000"');
    assert.equal(sliceChars(LONG_TEXT, start_chars, end_chars), "line 2000");
    assert.ok(cut.start_chars <= start_chars && cut.end_chars >= end_chars);
    assert.ok(start_chars - cut.start_chars <= 20 && cut.end_chars - end_chars <= 30);
    assert.equal(cut.text, sliceChars(LONG_TEXT, cut.start_chars, cut.end_chars));
    const { window: before } = await world().json(window("long", "body", `&cursor=${cut.previous_cursor}`));
    assert.equal(before.end_chars, cut.start_chars);
  });

  test("R23 a read always finds a hit's words in its field", async () => {
    const { data } = await world().json("/v1/search?q=strasse");
    const { window: cut } = await world().json(window(data[0].record_id, "body", "&q=strasse"));
    assert.equal(cut.text.slice(cut.match.start_chars, cut.match.end_chars), "Straße");
  });

  test("R23 a query that does not match is refused with a next step", async () => {
    const { status, code, error } = await world().refusal(window("long", "body", "&q=absent"));
    assert.deepEqual(
      [status, code, error.id, error.field_path],
      [404, "match_not_found", "home/notes:long", "body"],
    );
    assert.match(error.next, /offset_chars/);
    assert.equal((await world().refusal(window("n1", "body", "&q=..."))).code, "invalid_query");
  });

  test("R24 forged, foreign, expired and stale cursors have different codes, and name record and field", async () => {
    const { window: cut } = await world().json(window("long", "body", "&limit_chars=100"));
    const cursor = `&cursor=${cut.next_cursor}`;
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home"] }]);
    const forged = `${cut.next_cursor.slice(0, -4)}AAAA`;
    const named = async (path: string, given?: string) => {
      const { code, error } = await world().refusal(path, given);
      return [code, error.id, error.field_path];
    };
    assert.deepEqual(await named(window("long", "body", `&cursor=${forged}`)), [
      "invalid_cursor",
      "home/notes:long",
      "body",
    ]);
    assert.deepEqual(await named(window("n1", "body", cursor)), ["cursor_foreign", "home/notes:n1", "body"]);
    assert.deepEqual(await named(window("long", "title", cursor)), [
      "cursor_foreign",
      "home/notes:long",
      "title",
    ]);
    assert.deepEqual(await named(window("long", "body", cursor), token), [
      "cursor_foreign",
      "home/notes:long",
      "body",
    ]);
    world().clock.now += 26 * 3_600_000;
    const expired = await named(window("long", "body", cursor));
    world().clock.now -= 26 * 3_600_000;
    assert.deepEqual(expired, ["cursor_expired", "home/notes:long", "body"]);
  });

  test("R24 a cursor into a field that changed is stale, never stitched", async () => {
    const note = (body: string) => ({
      stream: "notes",
      key: "moving",
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id: "moving", body },
    });
    const { store, owner_id } = world();
    await store.ingest(owner_id, "home", [note("first ".repeat(2000))]);
    const { window: cut } = await world().json(window("moving", "body", "&limit_chars=100"));
    await store.ingest(owner_id, "home", [note("second ".repeat(2000))]);
    const { status, code, error } = await world().refusal(
      window("moving", "body", `&cursor=${cut.next_cursor}`),
    );
    assert.deepEqual([status, code, error.id], [409, "cursor_stale", "home/notes:moving"]);
    await store.deleteRecord(owner_id, "home", "notes", "moving");
  });

  test("R24 the same position has the same opaque cursor", async () => {
    const ask = async () =>
      (await world().json(window("long", "body", "&limit_chars=100"))).window.next_cursor;
    const cursor = await ask();
    assert.equal(await ask(), cursor);
    assert.doesNotMatch(Buffer.from(cursor, "base64url").toString("latin1"), /100|forward|"f"/);
  });

  test("R25 a window costs the same whatever the field's size", async () => {
    const cost = async (size: number) => {
      const { store, owner_id } = world();
      const key = `big${size}`;
      const data = { id: key, body: "many words in a row ".repeat(size / 20) };
      await store.ingest(owner_id, "home", [
        { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data },
      ]);
      const before = store.traffic.bytes;
      await world().json(window(key, "body", `&offset_chars=${Math.floor(size * 0.7)}`));
      const bytes = store.traffic.bytes - before;
      await store.deleteRecord(owner_id, "home", "notes", key);
      return bytes;
    };
    const [small, large] = [await cost(100_000), await cost(2_000_000)];
    assert.ok(large < small * 1.5 && large < 80_000, `${small} and ${large} bytes`);
  });

  test("R26 nested values have paths, and the grant decides by the top-level field", async () => {
    const { window: cut } = await world().json(window("json", "payload.parts[1].text"));
    assert.equal(cut.text, "nested cherry");
    for (const field of ["secret", "secret.deep[0]", "nothing", '["no such"].x']) {
      const { status, code, error } = await world().refusal(window("json", field));
      assert.deepEqual([status, code, error.param], [403, "field_not_granted", "field_path"], field);
    }
    assert.equal((await world().refusal(window("json", "a..b"))).code, "invalid_field_path");
  });

  test("a field without a value and a missing record have different errors", async () => {
    assert.equal((await world().refusal(window("n1", "payload"))).error.param, "field_path");
    assert.equal((await world().refusal(window("n1", "body.deeper"))).error.param, "field_path");
    assert.equal((await world().refusal(window("nowhere", "body"))).error.param, "id");
  });

  test("R33 base64 fields have no windows, at any offset", async () => {
    for (const more of ["", "&offset_chars=9000&limit_chars=1", "&q=png"]) {
      const { status, code, error } = await world().refusal(window("raw", "raw", more));
      assert.deepEqual([status, code], [400, "field_not_text"], more);
      assert.deepEqual([error.mime_type, error.size_bytes], ["image/png", 9000]);
      assert.doesNotMatch(JSON.stringify(error), /cG5n/);
    }
  });

  test("R33 a reference to a blob leads to read_blob", async () => {
    const { code, error } = await world().refusal(window("picture", "picture"));
    const { blob_id, size_bytes } = world().blob;
    assert.deepEqual([code, error.blob_id, error.size_bytes], ["field_not_text", blob_id, size_bytes]);
    assert.match(error.next, new RegExp(`read_blob with blob_id=${blob_id}`));
  });

  test("R34 large JSON is read as windows over its serialized text", async () => {
    const texts: string[] = [];
    for (let more = "&limit_chars=2500"; ; ) {
      const { field, window: cut } = await world().json<Json>(window("json", "payload", more));
      assert.equal(field.mime_type, "application/json");
      texts.push(cut.text);
      if (cut.next_cursor === null) break;
      more = `&cursor=${cut.next_cursor}`;
    }
    assert.equal(JSON.parse(texts.join("")).parts[1].text, "nested cherry");
  });
});
