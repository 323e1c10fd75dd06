/** What a search is narrowed to, how it is ordered, and what folds (R67, R68). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { GRANTED_FIELDS, INSIDE, type Json, OUTSIDE, onEveryEngine } from "../../testing/world.ts";

const search = (q: string, more = "") => `/v1/search?q=${encodeURIComponent(q)}${more}`;
const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id);

const LEASE =
  "The lease of the harbour office ends in March, and the landlord wants an answer about the two rooms upstairs.";

onEveryEngine((world) => {
  /** All of both connections, but no time at work. */
  let both = "";

  before(async () => {
    const { store, owner_id, allow } = world();
    const thread = Array.from({ length: 20 }, (_, at) => ({
      stream: "notes",
      key: `reply${at}`,
      emitted_at: "2026-05-01T00:00:00Z",
      data: {
        id: `reply${at}`,
        title: "Re: the harbour office",
        body: at === 0 ? LEASE : `Answer ${at}, quite short.\n\n${">".repeat(at % 4 || 1)} ${LEASE}\n`,
        written_at: new Date(Date.UTC(2026, 3, 1 + at)).toISOString(),
      },
    }));
    const visit = {
      id: "visit",
      title: "Visit",
      body: "The landlord of the boat house showed the broken window and asked about the missing keys.",
      written_at: "2026-03-15T00:00:00Z",
    };
    const records = [
      ...thread,
      { stream: "notes", key: "visit", emitted_at: "2026-05-01T00:00:00Z", data: visit },
    ];
    await store.ingest(owner_id, "home", records);
    const fields = GRANTED_FIELDS.filter((field) => field !== "written_at");
    const home = await allow([
      { name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS },
      { name: "notes", instance_ids: ["work"], fields },
      { name: "shelves", instance_ids: ["home"] },
    ]);
    both = home.token;
  });

  test("R68 facets count what narrowing by them finds, and only when they are asked for", async () => {
    const { facets, meta } = await world().json(search(INSIDE, "&facets=true"));
    const [{ connection_id, stream, count }] = facets.sources;
    assert.deepEqual([facets.is_complete, facets.people], [true, []]);
    const source = await world().json(search(INSIDE, `&connection_id=${connection_id}&stream=${stream}`));
    assert.deepEqual([source.meta.count, meta.count], [count, count]);
    for (const { month, count: own } of facets.months) {
      const next = new Date(`${month}-01T00:00:00Z`);
      next.setUTCMonth(next.getUTCMonth() + 1);
      const narrowed = await world().json(search(INSIDE, `&since=${month}-01&until=${next.toISOString()}`));
      assert.equal(narrowed.meta.count, own, month);
    }
    assert.equal((await world().json(search(INSIDE))).facets, undefined);
    assert.deepEqual((await world().json(search(OUTSIDE, "&facets=true"))).facets.sources, []);
  });

  test("R68 since and until narrow a search, and its counts are those of the narrowed records", async () => {
    const page = await world().json(search(INSIDE, "&since=2026-01-05&until=2026-01-08T00:00:00Z"));
    assert.deepEqual(idsOf(page).sort(), ["home/notes:n4", "home/notes:n5", "home/notes:n6"]);
    assert.deepEqual([page.meta.count, page.meta.words[0].count], [3, 3]);
    for (const more of [
      "&since=soon",
      "&until=",
      "&since=2026-01-01T00:00:00.0001Z",
      "&since=2026-02-01&until=2026-02-01",
    ])
      assert.equal((await world().refusal(search("tea", more))).code, "invalid_request", more);
  });

  test("R51 R54 R68 times never widen a grant", async () => {
    const { token } = await world().allow([
      {
        name: "notes",
        instance_ids: ["home"],
        fields: GRANTED_FIELDS,
        time_range: { since: "2026-01-10T00:00:00Z", until: "2026-01-12T00:00:00Z" },
      },
    ]);
    const wider = await world().json(search("tea", "&since=2020-01-01&until=2030-01-01"), token);
    assert.deepEqual(idsOf(wider).sort(), ["home/notes:n10", "home/notes:n9"]);
    const beside = await world().json(search("tea", "&since=2026-01-12"), token);
    assert.deepEqual([beside.data, beside.meta.count, beside.meta.words[0].count], [[], 0, 0]);
  });

  test("R17 R68 a stream that cannot be narrowed is skipped and named with the reason", async () => {
    const timed = await world().json(search("tea", "&since=2026-01-05&limit=50"), both);
    assert.ok(idsOf(timed).every((id) => id.startsWith("home/")));
    assert.deepEqual(timed.meta.recall.not_searched.sort(), [
      "home/shelves: no searchable field is granted",
      "work/notes: since and until need a time field, and none is granted",
    ]);
  });

  test("R68 filters narrow a search by granted fields, with the syntax and the refusals of query_records", async () => {
    const page = await world().json(search("tea", "&filter=rating%3E%3D3&filter=done%3Dtrue&limit=50"));
    const expected = Array.from({ length: 30 }, (_, at) => at).filter((at) => at % 5 >= 3 && at % 2 === 0);
    assert.deepEqual(idsOf(page).sort(), expected.map((at) => `home/notes:n${at}`).sort());
    assert.deepEqual([page.meta.count, page.meta.words[0].count], [expected.length, expected.length]);
    for (const filter of ["secret=x", "no_such_field=1"]) {
      const { code, error } = await world().refusal(search("tea", `&filter=${encodeURIComponent(filter)}`));
      assert.deepEqual([code, error.param], ["field_not_granted", "filter"]);
    }
    for (const filter of ["rating=many", "rating", "body=x"])
      assert.equal(
        (await world().refusal(search("tea", `&filter=${encodeURIComponent(filter)}`))).code,
        "invalid_request",
      );
  });

  test("R68 several streams and connections are searched, and each must be granted", async () => {
    const page = await world().json(search("tea", "&connection_id=home,work&stream=notes&limit=50"), both);
    assert.equal(page.meta.count, 60);
    assert.equal((await world().json(search("tea", "&connection_id=work"), both)).meta.count, 30);
    for (const more of ["&connection_id=home,work", "&stream=notes,shelves"])
      assert.equal((await world().refusal(search("tea", more))).code, "grant_stream_not_allowed");
    assert.equal((await world().json(search(OUTSIDE, "&connection_id=home"), both)).meta.count, 0);
  });

  test("R68 newest first, page by page, without gaps or repetitions", async () => {
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const more = `&order=newest&until=2026-02-01&limit=7${cursor && `&cursor=${cursor}`}`;
      const page = await world().json(search("tea", more));
      ids.push(...idsOf(page));
      if (!page.has_more) break;
      cursor = page.next_cursor;
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 30 }, (_, at) => `home/notes:n${29 - at}`),
    );
  });

  test("R24 R68 a cursor belongs to everything that narrows or orders its search", async () => {
    const narrowed =
      "&limit=1&since=2026-01-02&until=2026-01-20&filter=rating%3C4&stream=notes&connection_id=home";
    const { next_cursor } = await world().json(search("tea", narrowed));
    await world().json(search("tea", `${narrowed}&cursor=${next_cursor}`));
    for (const [given, other] of [
      ["since=2026-01-02", "since=2026-01-03"],
      ["until=2026-01-20", "until=2026-01-21"],
      ["filter=rating%3C4", "filter=rating%3C3"],
      ["&stream=notes", ""],
      ["&connection_id=home", ""],
      ["&limit=1", "&limit=1&order=newest"],
    ] as const) {
      const changed = narrowed.replace(given, other);
      assert.equal(
        (await world().refusal(search("tea", `${changed}&cursor=${next_cursor}`))).code,
        "cursor_foreign",
      );
    }
  });

  test("R67 a thread of twenty quoted replies folds under one hit, with their count and the call that lists them", async () => {
    const page = await world().json(search("landlord", "&limit=10"));
    assert.equal(page.meta.count, 21);
    assert.ok(idsOf(page).includes("home/notes:visit"));
    const head = page.data.find(({ similar }: Json) => similar);
    assert.ok(head.similar.count >= 10);
    assert.equal(head.similar.ids.length, 10);
    assert.equal(head.similar.open.operation, "search");
    const { args } = head.similar.open;
    assert.deepEqual([args.query, args.folded], ["landlord", false]);
    const opened = await world().json(`/v1/search?${new URLSearchParams(args)}`);
    for (const id of [head.id, ...head.similar.ids]) assert.ok(idsOf(opened).includes(id), id);
    assert.ok(opened.data.every(({ similar }: Json) => similar === undefined));
  });

  test("R67 every record is reachable over the pages, shown or folded, once", async () => {
    for (const limit of [1, 2, 7]) {
      const reached: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await world().json(
          search("landlord", `&limit=${limit}${cursor && `&cursor=${cursor}`}`),
        );
        assert.ok(page.data.length <= limit);
        for (const { id, similar } of page.data) {
          reached.push(id);
          if (!similar) continue;
          const opened = await world().json(`/v1/search?${new URLSearchParams(similar.open.args)}`);
          const near = idsOf(opened);
          for (const one of similar.ids) assert.ok(near.includes(one), one);
          assert.equal(similar.ids.length, Math.min(10, similar.count));
          reached.push(
            ...similar.ids,
            ...Array.from({ length: similar.count - similar.ids.length }, () => ""),
          );
        }
        if (!page.has_more) break;
        cursor = page.next_cursor;
      }
      assert.equal(reached.length, 21);
      const named = reached.filter((id) => id !== "");
      assert.equal(new Set(named).size, named.length);
    }
  });

  test("R67 folded=false lists every hit separately", async () => {
    const page = await world().json(search("landlord", "&folded=false&limit=50"));
    assert.equal(new Set(idsOf(page)).size, 21);
    assert.ok(page.data.every(({ similar }: Json) => similar === undefined));
    assert.equal((await world().refusal(search("landlord", "&folded=maybe"))).code, "invalid_request");
  });
});
