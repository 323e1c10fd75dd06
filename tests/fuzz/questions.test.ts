/** Callers' input: queries, conditions, times, and the parameters of every operation. */
import assert from "node:assert/strict";
import {
  describeStream,
  exampleManifest,
  type Operation,
  operations,
  parseFilters,
  parseTimeMs,
  requireAggregation,
  requireInput,
  writeCall,
} from "@rungs/contract";
import { findMatches, MAX_PHRASE_TERMS, MAX_QUERY_WORDS, requireQuery } from "@rungs/evidence";
import fc from "fast-check";
import { fuzz, takeOrRefuse } from "../../testing/fuzz/cases.ts";
import { anyText, mangledText } from "../../testing/fuzz/mangled.ts";

const [messages] = exampleManifest.streams;
assert.ok(messages);
const shape = describeStream(messages);
const fieldNames = shape.fields.map(({ name }) => name);
const every: readonly Operation[] = Object.values(operations);

const queries = fc.oneof(
  anyText,
  mangledText(
    fc.constantFrom(
      'tea "two words" wor*',
      "漢字 かな",
      '"a b c" d* "',
      "don't stop*",
      '+a -b "c" OR d AND e NOT f',
    ),
  ),
);

fuzz("R10 a query parses within its limits or gives a coded error", queries, (text) => {
  const query = takeOrRefuse(() => requireQuery(text));
  if (!query) return;
  assert.ok(query.clauses.length >= 1 && query.clauses.length <= MAX_QUERY_WORDS);
  for (const { terms } of query.clauses.flatMap(({ any }) => any)) {
    assert.ok(terms.length >= 1 && terms.length <= MAX_PHRASE_TERMS);
    assert.ok(terms.join("").length <= 4 * text.length, "terms are no longer than what they were made of");
  }
});

fuzz(
  "R13 a match is within its text, for any query and text",
  fc.tuple(queries, fc.array(fc.oneof(anyText, queries), { maxLength: 4 })),
  ([q, parts]) => {
    const query = takeOrRefuse(() => requireQuery(q));
    const text = parts.join(" ").toWellFormed();
    for (const { start, end } of query ? findMatches(text, query) : []) {
      assert.ok(start >= 0 && start < end && end <= text.length);
      assert.ok(text.slice(start, end).isWellFormed(), "a match never cuts a character");
    }
  },
);

const conditions = fc.oneof(
  anyText,
  fc
    .tuple(
      fc.constantFrom(...fieldNames, "nothing", ""),
      fc.constantFrom("=", "!=", "<", ">=", "=="),
      anyText,
    )
    .map((parts) => parts.join("")),
  mangledText(fc.constantFrom("size_bytes>=100", "unread=true", "sent_at<2026-01-01T00:00:00Z")),
);

fuzz(
  "R35 filters parse by the type of their field or give a coded error",
  fc.array(conditions),
  (filters) => {
    const read = takeOrRefuse(() => parseFilters(filters, shape));
    assert.ok(read === undefined || read.length === filters.length);
    for (const { field, value } of read ?? []) {
      const found = shape.fields.find(({ name }) => name === field);
      const types: readonly string[] = found?.listed ?? found?.types ?? [];
      const type = typeof value;
      assert.ok(types.includes(type) || (type === "number" && types.includes("integer")), field);
    }
  },
);

fuzz("a time parses to whole milliseconds or to undefined", times(), (value) => {
  const timeMs = parseTimeMs(value);
  if (timeMs === undefined) return;
  assert.ok(Number.isInteger(timeMs) && !Number.isNaN(new Date(timeMs).getTime()), String(value));
  const iso = new Date(timeMs).toISOString();
  if (!/^[+-]/.test(iso)) assert.equal(parseTimeMs(iso), timeMs + 0);
});

fuzz("parameters of every operation parse or give a coded error, and round-trip", calls(), (call) => {
  const { operation, path, query } = call;
  const input = takeOrRefuse(() => requireInput(operation, { path, query, header: () => call.header }));
  if (!input) return;
  const written = takeOrRefuse(() => writeCall(operation, input));
  if (!written) return;
  const url = new URL(written.path, "http://here");
  const segments = url.pathname.split("/").map(decodeURIComponent);
  const names = operation.path.split("/").map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  const again = Object.fromEntries(
    names.flatMap((name, at) => (name === undefined ? [] : [[name, segments[at] ?? ""]])),
  );
  const header = (name: string) => written.headers[name];
  assert.deepEqual(requireInput(operation, { path: again, query: written.query, header }), input);
});

fuzz("an aggregation parses or gives a coded error", measurements(), (input) => {
  takeOrRefuse(() => requireAggregation(input, shape));
});

function times(): fc.Arbitrary<unknown> {
  const written = fc.constantFrom(
    "2026-02-28T23:59:60.999Z",
    "2026-01-01",
    "0000-01-01 00:00",
    "9999-12-31T23:59:59.9999999-23:59",
  );
  return fc.oneof(anyText, mangledText(written), fc.double(), fc.integer(), fc.constantFrom(null, true, {}));
}

interface Call {
  readonly operation: Operation;
  readonly path: Record<string, string>;
  readonly query: [string, string][];
  readonly header: string | undefined;
}

function calls(): fc.Arbitrary<Call> {
  const good = ["1", "100", "desc", "notes", "a,b", "body", "count", "size_bytes>=1", "bytes=0-5", "n1"];
  const value = fc.oneof(fc.constantFrom(...good), anyText);
  return fc.constantFrom(...every).chain((operation) => {
    const known = [...Object.keys(operation.input.shape), ...Object.keys(operation.aliases ?? {})];
    const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known, "q") }, anyText);
    return fc.record({
      operation: fc.constant(operation),
      path: fc.record({ stream: value, id: value, blob_id: value, connection_id: value }),
      query: fc.array(fc.tuple(name, value), { maxLength: 3 }),
      header: fc.option(value, { nil: undefined }),
    });
  });
}

function measurements() {
  const field = fc.option(fc.constantFrom(...fieldNames, "nothing", "__proto__"), { nil: undefined });
  return fc.record({
    metric: fc.constantFrom("count", "count_distinct", "min", "max", "sum", "avg"),
    field,
    group_by: field,
    time_bucket: fc.option(fc.constantFrom("day", "month", "year"), { nil: undefined }),
  });
}
