import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiError,
  describeStream,
  exampleManifest,
  type InputOf,
  type Operations,
  type StreamScope,
} from "@rungs/contract";
import fc from "fast-check";
import type { Authority, Sources } from "../access/authority.ts";
import { narrowSearch } from "../operations/search.ts";

type SearchInput = InputOf<Operations["search"]>;

const shapes = new Map(exampleManifest.streams.map((stream) => [stream.name, describeStream(stream)]));
const sources: Sources = new Map(
  ["home", "work"].map((connection_id) => [
    connection_id,
    {
      connection_id,
      connector_key: exampleManifest.source.id,
      display_name: connection_id,
      manifest: exampleManifest,
      shapes,
    },
  ]),
);

function authorityOver(streams: readonly StreamScope[]): Authority {
  const scope = { owner_id: "me", streams };
  return {
    kind: "client",
    owner_id: "me",
    client_id: "agent",
    scope,
    outdated: [],
    grants: [],
    grant_key: "g",
    sources,
  };
}

function narrow(streams: readonly StreamScope[], input: Partial<SearchInput>) {
  return narrowSearch(authorityOver(streams), { q: "tea", ...input });
}

function assertRefused(code: string, param: string, run: () => unknown): void {
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.details.param], [code, param]);
    return true;
  });
}

const messages = {
  connection_id: "home",
  stream: "messages",
  fields: ["id", "body", "sent_at", "size_bytes"],
};
const labels = { connection_id: "home", stream: "labels", fields: ["account", "number", "name"] };

test("R17 a stream without a granted searchable field is listed as not searched", () => {
  const streams = [{ ...messages, fields: ["id", "body"] }, labels];
  assert.deepEqual(narrow(streams, {}).not_searched, ["home/labels: no searchable field is granted"]);
});

test("R68 times narrow the grant's limits from both sides", () => {
  const time = { since_ms: Date.parse("2026-02-01"), until_ms: Date.parse("2026-04-01") };
  const asked = { since: "2026-01-01", until: "2026-03-01T00:00:00Z" };
  const { scope } = narrow([{ ...messages, time }], asked);
  assert.deepEqual(scope.streams[0]?.time, { since_ms: time.since_ms, until_ms: Date.parse("2026-03-01") });
  assert.deepEqual(narrow([messages], { since: "2026-01-01" }).scope.streams[0]?.time, {
    since_ms: Date.parse("2026-01-01"),
  });
  assertRefused("invalid_request", "until", () =>
    narrow([messages], { since: "2026-03-01", until: "2026-03-01" }),
  );
});

test("R51 R68 a stream without a granted time field cannot be narrowed by time: the search skips and names it", () => {
  const hidden = { ...messages, connection_id: "work", fields: ["id", "body"] };
  const { scope, not_searched } = narrow([messages, hidden], { until: "2026-03-01" });
  assert.deepEqual(
    scope.streams.map(({ connection_id }) => connection_id),
    ["home"],
  );
  assert.deepEqual(not_searched, ["work/messages: since and until need a time field, and none is granted"]);
});

test("R51 R68 a filter applies where its field is granted, and is refused where it is granted nowhere", () => {
  const hidden = { ...messages, connection_id: "work", fields: ["id", "body"] };
  const { filters, not_searched } = narrow([messages, hidden], { filter: ["size_bytes>=5"] });
  const wanted = { field: "size_bytes", op: ">=", value: 5 };
  assert.deepEqual(filters, [{ connection_id: "home", stream: "messages", filters: [wanted] }]);
  assert.deepEqual(not_searched, ["work/messages: the filter does not fit its granted fields"]);
  for (const filter of ["no_such_field=1", "subject=x"])
    assertRefused("field_not_granted", "filter", () => narrow([messages, hidden], { filter: [filter] }));
  for (const filter of ["size_bytes=many", "body=x", "id"])
    assertRefused("invalid_request", "filter", () => narrow([messages, hidden], { filter: [filter] }));
});

test("R17 granted fields that may hold text and are not searched are named; hidden ones are not", () => {
  const all = (shapes.get("messages")?.fields ?? []).filter(({ lexical }) => lexical.length === 0);
  const named = narrow([messages], {}).fields_not_searched.join();
  for (const { name, types } of all)
    if (types.every((type) => type === "integer" || type === "boolean" || type === "null"))
      assert.ok(!named.includes(name), name);
  for (const { name } of all)
    if (named.includes(name)) {
      const fields = messages.fields.filter((each) => each !== name);
      assert.ok(
        !narrow([{ ...messages, fields }], {})
          .fields_not_searched.join()
          .includes(name),
        name,
      );
    }
  assert.ok(!/\bbody\b|\bid\b/.test(named));
});

test("R68 several streams and connections are searched, and each must be granted", () => {
  const work = { ...messages, connection_id: "work" };
  const chosen = narrow([messages, work], { connection_id: ["home", "work"], stream: ["messages"] });
  assert.equal(chosen.scope.streams.length, 2);
  const stream = ["messages", "labels"];
  assertRefused("grant_stream_not_allowed", "stream", () => narrow([messages, work], { stream }));
  assertRefused("grant_stream_not_allowed", "connection_id", () =>
    narrow([messages], { connection_id: ["home", "work"] }),
  );
});

test("R54 R68 narrowing never widens a grant", () => {
  const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-01-${String(number).padStart(2, "0")}`);
  const time = fc
    .record({ since_ms: day.map(Date.parse), until_ms: day.map(Date.parse) }, { requiredKeys: [] })
    .map((limits) => ({ time: limits }));
  const names = (shapes.get("messages")?.fields ?? []).map(({ name }) => name);
  const entry = fc
    .record({
      connection_id: fc.constantFrom("home", "work"),
      stream: fc.constantFrom("messages", "labels"),
      fields: fc.subarray(names, { minLength: 3 }),
      record_ids: fc.option(fc.array(fc.constantFrom("m1", "m2")), { nil: undefined }),
      limits: fc.option(time, { nil: {} }),
    })
    .map(({ limits, ...rest }): StreamScope => ({ ...rest, ...limits }));
  const grants = fc.uniqueArray(entry, {
    selector: ({ connection_id, stream }) => `${connection_id}/${stream}`,
  });
  const inputs = fc.record(
    {
      stream: fc.subarray(["messages", "labels"], { minLength: 1 }),
      connection_id: fc.subarray(["home", "work"], { minLength: 1 }),
      since: day,
      until: day,
      filter: fc.array(fc.constantFrom("size_bytes>=5", "unread=true", "subject=a", "nope=1"), {
        maxLength: 2,
      }),
    },
    { requiredKeys: [] },
  );
  let narrowed = 0;
  fc.assert(
    fc.property(grants, inputs, (streams, input) => {
      let result: ReturnType<typeof narrow>;
      try {
        result = narrow(streams, input as Partial<SearchInput>);
      } catch (error) {
        assert.ok(error instanceof ApiError);
        return;
      }
      for (const each of result.scope.streams) {
        const whole = streams.find(
          ({ connection_id, stream }) => connection_id === each.connection_id && stream === each.stream,
        );
        assert.ok(whole);
        assert.deepEqual({ ...each, time: undefined }, { ...whole, time: undefined });
        assert.ok((each.time?.since_ms ?? -Infinity) >= (whole.time?.since_ms ?? -Infinity));
        assert.ok((each.time?.until_ms ?? Infinity) <= (whole.time?.until_ms ?? Infinity));
        const own = result.filters.find(
          ({ connection_id, stream }) => connection_id === each.connection_id && stream === each.stream,
        );
        assert.equal(own?.filters.length ?? 0, input.filter?.length ?? 0);
        assert.ok(own?.filters.every(({ field }) => whole.fields.includes(field)) ?? true);
        narrowed += 1;
      }
    }),
    { numRuns: 1000 },
  );
  assert.ok(narrowed > 50, `${narrowed} streams were narrowed`);
});
