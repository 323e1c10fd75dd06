import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStream, exampleManifest, type Manifest, parseTimeMs } from "@rungs/contract";
import fc from "fast-check";
import type { Source } from "../../access/authority.ts";
import {
  computeExpiry,
  decideAsRequested,
  narrowDecision,
  writeAuthorizationDetails,
  writeGrantOrder,
} from "./consent-decision.ts";
import { resolveRequestedScope } from "./requested-scope.ts";

const manifest: Manifest = exampleManifest;
const [stream] = manifest.streams;
assert.ok(stream);
const shapes = new Map(manifest.streams.map((each) => [each.name, describeStream(each)]));
const source = (connection_id: string): [string, Source] => [
  connection_id,
  { connection_id, connector_key: manifest.source.id, display_name: connection_id, manifest, shapes },
];
const sources = new Map([source("one"), source("two")]);
const declared = shapes.get(stream.name)?.fields.map(({ name }) => name) ?? [];
const required = shapes.get(stream.name)?.fields.filter((field) => field.required) ?? [];

const ask = (instance_ids: string[] | undefined, over: object = {}) =>
  resolveRequestedScope(
    [
      {
        type: "https://pdpp.dev/data-access",
        source: { id: manifest.source.id },
        purpose_code: "https://pdpp.dev/purpose/assistance",
        access_mode: "continuous",
        streams: [{ name: stream.name, ...(instance_ids ? { instance_ids } : {}), ...over }],
      },
    ],
    sources,
    "owner",
  );

const anyTime = fc.option(
  fc
    .date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  { nil: undefined },
);
const anyChoice = fc.record({
  streams: fc.array(
    fc.record({
      connection_id: fc.constantFrom("one", "two", "three"),
      stream: fc.constantFrom(...manifest.streams.map(({ name }) => name), "other"),
      fields: fc.array(fc.constantFrom(...declared, "other")),
      since: anyTime,
      until: anyTime,
    }),
  ),
});

test("R51 no decision grants more than the client requested", () => {
  const since = "2020-01-01T00:00:00.000Z";
  const until = "2030-01-01T00:00:00.000Z";
  const limited = stream.consent_time_field === undefined ? {} : { time_range: { since, until } };
  const fields = declared.slice(0, 3);
  const requested = ask(["one"], { fields, ...limited });
  const allowed = new Set([...fields, ...required.map(({ name }) => name)]);
  fc.assert(
    fc.property(anyChoice, (decision) => {
      const narrowed = narrowDecision(decision, requested);
      for (const each of narrowed.streams) {
        assert.deepEqual([each.connection_id, each.stream], ["one", stream.name]);
        assert.ok(each.fields.every((field) => allowed.has(field)));
        assert.ok(required.every(({ name }) => each.fields.includes(name)));
        if (!("time_range" in limited)) continue;
        assert.ok((parseTimeMs(each.since) ?? 0) >= (parseTimeMs(since) ?? 0));
        assert.ok((parseTimeMs(each.until) ?? Number.POSITIVE_INFINITY) <= (parseTimeMs(until) ?? 0));
      }
      assert.ok(narrowed.streams.length <= 1);
      assert.deepEqual(narrowDecision(narrowed, requested), narrowed);
    }),
  );
});

test("an unnamed connection is selected only when it is the sole one", () => {
  assert.deepEqual(decideAsRequested(ask(undefined)).streams, []);
  assert.equal(decideAsRequested(ask(["two"])).streams[0]?.connection_id, "two");
  assert.equal(ask(undefined).streams.length, 2);
});

test("a decision over several connections of one source becomes one detail", () => {
  const requested = ask(["one", "two"]);
  const details = writeAuthorizationDetails(decideAsRequested(requested), requested);
  assert.equal(details.length, 1);
  assert.equal(details[0]?.streams?.length, 2);
});

test("R82 R83 a decision masks every field but those that stay as they are, and keeps its budget", () => {
  const requested = ask(["one"]);
  const decision = narrowDecision(
    {
      streams: [{ connection_id: "one", stream: stream.name, fields: declared, plain_fields: ["id"] }],
      masks: { kinds: ["phone"] },
      budget: { records: 5 },
    },
    requested,
  );
  const order = writeGrantOrder({ client_id: "agent" }, decision, requested, 0);
  assert.deepEqual(order.masks, {
    kinds: ["phone"],
    except: [{ connection_id: "one", stream: stream.name, fields: ["id"] }],
  });
  assert.deepEqual(order.budget, { records: 5 });
  assert.equal(writeGrantOrder({ client_id: "agent" }, { streams: [] }, requested, 0).masks, undefined);
});

test("a grant expires after a whole number of days, or never", () => {
  assert.equal(computeExpiry({ streams: [] }, 0), undefined);
  assert.equal(computeExpiry({ streams: [], expires_in_days: 2 }, 1000), 1000 + 2 * 86_400_000);
  for (const expires_in_days of [0, -1, 1.5, Number.NaN, 4000]) {
    assert.throws(() => computeExpiry({ streams: [], expires_in_days }, 0), { code: "invalid_request" });
  }
});
