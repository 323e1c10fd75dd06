import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceChars } from "@rungs/evidence";
import { INSIDE, type Json, LONG_TEXT, OUTSIDE, onEveryEngine } from "../../testing/world.ts";

const search = (q: string, more = "") => `/v1/search?q=${encodeURIComponent(q)}${more}`;

onEveryEngine((world) => {
  test("R10 R11 a hit shows proven evidence: the characters at its range are the ones shown", async () => {
    for (const [q, id, shown] of [
      ["tea number 7", "n7", "7"],
      ['"strasse zum cafe"', "marks", "Straße zum Café"],
      ["漢字", "marks", "漢字"],
      ["DON'T", "marks", "don't"],
      ["cherry", "json", "cherry"],
    ] as const) {
      const { data } = await world().json(search(q));
      const hit = data.find((each: Json) => each.record_id === id);
      assert.ok(hit, q);
      const evidence = hit.evidence.find(({ field_path }: Json) => field_path !== "title");
      const texts = evidence.matches.map(({ start_chars, end_chars }: Json) =>
        sliceChars(
          evidence.preview,
          start_chars - evidence.preview_start_chars,
          end_chars - evidence.preview_start_chars,
        ),
      );
      assert.ok(texts.includes(shown), `${q}: ${texts}`);
      const { args } = evidence.read;
      const path = `/v1/streams/notes/records/${id}/field-window?field_path=${encodeURIComponent(args.field_path)}`;
      const range = `&offset_chars=${evidence.preview_start_chars}&limit_chars=${evidence.preview_end_chars - evidence.preview_start_chars}`;
      const { window, field } = await world().json(path + range);
      assert.equal(window.text, evidence.preview);
      assert.equal(field.digest, evidence.digest);
    }
  });

  test("R10 a match deep in a long field is shown with context on both sides", async () => {
    const { data } = await world().json(search('"line 1500"'));
    const [evidence] = data[0].evidence;
    assert.ok(evidence.preview_start_chars > 0 && evidence.truncated);
    const [match] = evidence.matches;
    assert.ok(
      match.start_chars > evidence.preview_start_chars && match.end_chars < evidence.preview_end_chars,
    );
    assert.equal(
      evidence.preview,
      sliceChars(LONG_TEXT, evidence.preview_start_chars, evidence.preview_end_chars),
    );
  });

  test("R14 pagination by cursor has no gaps and no repetitions", async () => {
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await world().json(search(INSIDE, `&limit=7${cursor && `&cursor=${cursor}`}`));
      ids.push(...page.data.map(({ id }: Json) => id));
      assert.equal(page.has_more, page.next_cursor !== undefined);
      assert.equal(page.meta.count, 30 + 1 + 9);
      if (!page.has_more) break;
      cursor = page.next_cursor;
    }
    assert.equal(ids.length, 40);
    assert.equal(new Set(ids).size, 40);
  });

  test("R16 R18 a hit carries its labels, its card by declared roles, and the call that reads on", async () => {
    const { data } = await world().json(search('"tea number 3"', "&limit=1"));
    const { evidence, ...hit } = data[0];
    assert.deepEqual(hit, {
      object: "search_result",
      id: "home/notes:n3",
      connection_id: "home",
      connector_key: "https://rungs.example/connectors/library",
      display_name: "Library at home",
      stream: "notes",
      record_id: "n3",
      title: "Note 3 home",
      event_time: "2026-01-04T00:00:00.000Z",
      emitted_at: "2026-05-01T00:00:00Z",
      author: null,
      words: ['"tea number 3"'],
      matched_fields: ["body"],
    });
    assert.deepEqual(evidence[0].read, {
      operation: "read_record_field",
      args: { id: "home/notes:n3", field_path: "body", offset_chars: 0 },
    });
  });

  test("R17 the answer says that it is exact, and what was not searched", async () => {
    const { token } = await world().allow([
      { name: "notes", instance_ids: ["home"], fields: ["id", "title"] },
      { name: "shelves", instance_ids: ["home"] },
    ]);
    const { meta } = await world().json(search("note"), token);
    assert.deepEqual(meta, {
      count: 32,
      count_with_all_words: 32,
      words: [{ word: "note", need: "wanted", count: 32 }],
      count_accuracy: "exact",
      recall: {
        complete: true,
        ranking_scope: "all_matches",
        truncated: false,
        not_searched: ["home/shelves: no searchable field is granted"],
      },
    });
  });

  test("R17 data outside the grant is not found, counted or shown", async () => {
    const { data, meta } = await world().json(search(OUTSIDE));
    assert.deepEqual([data, meta.count], [[], 0]);
    const narrow = await world().json(search("tea", "&connection_id=home&stream=notes"));
    assert.equal(narrow.meta.count, 30);
    assert.equal(
      (await world().refusal(search("tea", "&connection_id=work"))).code,
      "grant_stream_not_allowed",
    );
    assert.equal((await world().refusal(search("tea", "&stream=shelves"))).code, "grant_stream_not_allowed");
  });

  test("a limit above the maximum is capped with a warning", async () => {
    const page = await world().json(search(INSIDE, "&limit=5000"));
    assert.equal(page.data.length, 40);
    assert.equal(page.meta.warnings[0].code, "limit_clamped");
  });

  test("R24 a search cursor is bound to its query, filters and grant", async () => {
    const { next_cursor } = await world().json(search(INSIDE, "&limit=1"));
    const { token } = await world().allow([{ name: "notes", instance_ids: ["home"] }]);
    const cursor = `&cursor=${next_cursor}`;
    assert.equal((await world().refusal(search("tea", cursor))).code, "cursor_foreign");
    assert.equal((await world().refusal(search(INSIDE, `&stream=notes${cursor}`))).code, "cursor_foreign");
    assert.equal((await world().refusal(search(INSIDE, cursor), token)).code, "cursor_foreign");
    assert.equal((await world().refusal(search(INSIDE, "&cursor=abc"))).code, "invalid_cursor");
    world().clock.now += 26 * 3_600_000;
    const expired = await world().refusal(search(INSIDE, cursor));
    world().clock.now -= 26 * 3_600_000;
    assert.deepEqual([expired.status, expired.code], [410, "cursor_expired"]);
  });

  test("a query without a word is refused", async () => {
    for (const q of ["...", '""', " "])
      assert.equal((await world().refusal(search(q))).code, "invalid_query", q);
    assert.equal((await world().refusal("/v1/search")).code, "invalid_request");
    assert.equal((await world().refusal(search("a", "&colour=red"))).error.param, "colour");
  });
});
