import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyChar } from "../../../../testing/any-char.ts";
import { exampleManifest } from "../manifest/example-manifest.ts";
import { describeStream, narrowShape } from "../manifest/stream-shape.ts";
import { requireAggregation } from "./aggregation.ts";
import { parseFilters } from "./filter.ts";

const whole = describeStream(exampleManifest.streams[0]!);
const shape = narrowShape(whole, ["id", "subject", "sent_at", "size_bytes", "unread", "body"]);

function assertRefused(code: string, param: string, run: () => unknown): void {
  assert.throws(run, (error: { code?: string; details?: { param?: string } }) => {
    assert.deepEqual({ code: error.code, param: error.details?.param }, { code, param });
    return true;
  });
}

test("a condition is parsed by its field's declared type", () => {
  assert.deepEqual(
    parseFilters(["id=5", "size_bytes>=5", "unread!=true", "subject<a=b>c", "sent_at<2026-01-01"], shape),
    [
      { field: "id", op: "=", value: "5" },
      { field: "size_bytes", op: ">=", value: 5 },
      { field: "unread", op: "!=", value: true },
      { field: "subject", op: "<", value: "a=b>c" },
      { field: "sent_at", op: "<", value: "2026-01-01" },
    ],
  );
});

test("every operator and text round-trips", () => {
  const op = fc.constantFrom("=", "!=", "<", "<=", ">", ">=");
  fc.assert(
    fc.property(
      op,
      fc.string({ unit: anyChar }).filter((text) => !text.startsWith("=")),
      (sign, value) => {
        assert.deepEqual(parseFilters([`id${sign}${value}`], shape), [{ field: "id", op: sign, value }]);
      },
    ),
  );
});

test("R51 a field outside the grant gets the same error, whether or not it exists", () => {
  for (const filter of ["anything=1", "no_such_field=1", "raw=1"]) {
    assertRefused("field_not_granted", "filter", () => parseFilters([filter], shape));
  }
});

test("a meaningless condition is refused", () => {
  for (const filter of [
    "id",
    "=5",
    "size_bytes=many",
    "size_bytes=1.5",
    "size_bytes=",
    "unread=yes",
    "unread>false",
    "sent_at>soon",
    "body=x",
  ]) {
    assertRefused("invalid_request", "filter", () => parseFilters([filter], shape));
  }
});

test("R51 a narrowed shape has only granted fields, including times", () => {
  const narrow = narrowShape(whole, ["id"]);
  assert.deepEqual(
    narrow.fields.map(({ name }) => name),
    ["id"],
  );
  assert.equal(narrow.cursor_field, undefined);
  assert.equal(narrow.consent_time_field, undefined);
});

test("an aggregation takes granted fields of the right type", () => {
  requireAggregation({ metric: "count" }, shape);
  requireAggregation({ metric: "avg", field: "size_bytes", time_bucket: "month" }, shape);
  requireAggregation({ metric: "count_distinct", field: "subject", group_by: "unread" }, shape);
  const refused: [Parameters<typeof requireAggregation>[0], string, string][] = [
    [{ metric: "sum" }, "invalid_request", "field"],
    [{ metric: "count", field: "id" }, "invalid_request", "field"],
    [{ metric: "sum", field: "subject" }, "invalid_request", "field"],
    [{ metric: "max", field: "body" }, "invalid_request", "field"],
    [{ metric: "max", field: "raw" }, "field_not_granted", "field"],
    [{ metric: "count", group_by: "raw" }, "field_not_granted", "group_by"],
    [{ metric: "count", group_by: "id", time_bucket: "day" }, "invalid_request", "time_bucket"],
  ];
  for (const [input, code, param] of refused)
    assertRefused(code, param, () => requireAggregation(input, shape));
  assertRefused("invalid_request", "time_bucket", () =>
    requireAggregation({ metric: "count", time_bucket: "day" }, narrowShape(whole, ["id"])),
  );
});
