import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { exampleManifest as mail } from "../manifest/example-manifest.ts";
import { requireManifest } from "../manifest/require-manifest.ts";
import { getProperties } from "../manifest/stream-shape.ts";
import { grantSchema } from "./grant.ts";
import type { SelectionRequest, StreamRequest } from "./grant-request.ts";
import { resolveScope } from "./grant-scope.ts";
import { resolveGrant } from "./resolve-grant.ts";

const now_ms = Date.UTC(2026, 3, 1);
const newer = requireManifest({ ...mail, declaration_version: "2", streams: [mail.streams[0]] });
const home = connection("home", "1");
const work = connection("work", "1");
const next = connection("next", "2");

function connection(connection_id: string, declaration_version: string) {
  return {
    connection_id,
    source_id: mail.source.id,
    declaration_version,
    display_name: `The ${connection_id} mail`,
  };
}

function ask(...streams: StreamRequest[]): SelectionRequest {
  return {
    type: "https://pdpp.dev/data-access",
    source: { id: mail.source.id },
    purpose_code: "https://pdpp.dev/purpose/assistance",
    access_mode: "continuous",
    streams,
  };
}

function resolve(details: SelectionRequest[], connections = [home], expires_at_ms?: number) {
  const grant = resolveGrant({
    details,
    manifests: [mail, newer],
    connections,
    grant_id: "g1",
    subject_id: "me",
    client: { client_id: "c1" },
    now_ms,
    expires_at_ms,
  });
  return grantSchema.parse(grant);
}

function assertRefused(code: string, param: string | undefined, run: () => unknown): void {
  assert.throws(run, (error: { code?: string; details?: { param?: string } }) => {
    assert.deepEqual({ code: error.code, param: error.details?.param }, { code, param });
    return true;
  });
}

function refuses(code: string, param: string, request: StreamRequest, connections = [home]): void {
  assertRefused(code, `authorization_details[0].streams[0]${param}`, () =>
    resolve([ask(request)], connections),
  );
}

test("a resolved grant names connection, version, fields and times", () => {
  const time_range = { since: "2026-01-01", until: "2026-02-01T00:00:00+01:00" };
  const { issued_at, subject, authorization_details } = resolve([
    ask({ name: "messages", fields: ["subject"], time_range }),
  ]);
  assert.equal(issued_at, "2026-04-01T00:00:00.000Z");
  assert.deepEqual(subject, { id: "me" });
  assert.deepEqual(authorization_details, [
    {
      type: "https://pdpp.dev/data-access",
      source: mail.source,
      source_declaration: { version: "1" },
      streams: [
        {
          name: "messages",
          instance_ids: ["home"],
          fields: ["id", "subject"],
          time_constraint: {
            field: "sent_at",
            since: "2026-01-01T00:00:00.000Z",
            until: "2026-01-31T23:00:00.000Z",
          },
        },
      ],
    },
  ]);
});

test("views, presets, the wildcard and omitted fields are expanded", () => {
  const fieldsOf = (detail: SelectionRequest): string[][] =>
    resolve([detail]).authorization_details.flatMap(({ streams }) => streams.map(({ fields }) => fields));
  const headers = ["id", "subject", "from", "sent_at"];
  assert.deepEqual(fieldsOf(ask({ name: "messages", view: "headers" })), [headers]);
  const { streams: _, ...preset } = ask();
  assert.deepEqual(fieldsOf({ ...preset, selection_preset: "headers" }), [headers]);
  assert.deepEqual(
    fieldsOf(ask({ name: "*" })),
    mail.streams.map((stream) => Object.keys(getProperties(stream))),
  );
});

test("connections on different versions get their own details", () => {
  const grant = resolve(
    [ask({ name: "messages", instance_ids: ["home", "next", "work"] })],
    [home, work, next],
  );
  assert.deepEqual(
    grant.authorization_details.map(({ source_declaration, streams }) => [
      source_declaration.version,
      streams[0]?.instance_ids,
    ]),
    [
      ["1", ["home", "work"]],
      ["2", ["next"]],
    ],
  );
});

test("an omitted connection never means all: it resolves to the only one, or the error lists the choices", () => {
  assert.throws(
    () => resolve([ask({ name: "messages" })], [home, work]),
    (error: { code?: string; details?: Record<string, unknown> }) => {
      assert.equal(error.code, "ambiguous_connection");
      assert.deepEqual(error.details?.available_connections, [
        { connection_id: "home", display_name: "The home mail" },
        { connection_id: "work", display_name: "The work mail" },
      ]);
      return true;
    },
  );
});

suite("a request is refused with the location when", () => {
  test("a connection, stream, view or field does not exist", () => {
    refuses("connection_not_found", ".instance_ids[1]", { name: "messages", instance_ids: ["home", "gone"] });
    refuses("unknown_stream", ".name", { name: "calls" });
    refuses("unknown_stream", ".name", { name: "labels", instance_ids: ["next"] }, [next]);
    refuses("invalid_request", ".view", { name: "messages", view: "nope" });
    refuses("unknown_field", ".fields[1]", { name: "messages", fields: ["id", "nope"] });
    refuses("unknown_field", ".fields[0]", { name: "messages", fields: ["from.name"] });
    assertRefused("connection_not_found", "authorization_details[0].source.id", () =>
      resolve([{ ...ask({ name: "messages" }), source: { id: "https://elsewhere.example" } }]),
    );
  });

  test("a time range is empty, malformed, finer than milliseconds, or the stream has no consent time", () => {
    const since = "2026-01-01T00:00:00.0001Z";
    refuses("invalid_request", ".time_range", { name: "labels", time_range: { since: "2026-01-01" } });
    refuses("invalid_request", ".time_range", { name: "*", time_range: { since: "2026-01-01" } });
    refuses("invalid_request", ".time_range.since", { name: "messages", time_range: { since } });
    refuses("invalid_request", ".time_range.until", { name: "messages", time_range: { until: "soon" } });
    const time_range = { since: "2026-01-01", until: "2026-01-01" };
    refuses("invalid_request", ".time_range", { name: "messages", time_range });
  });

  test("its parts contradict each other", () => {
    refuses("invalid_request", ".view", { name: "messages", view: "headers", fields: ["id"] });
    refuses("invalid_request", ".fields", { name: "*", fields: ["id"] });
    assertRefused("invalid_request", "authorization_details[0].streams", () =>
      resolve([ask({ name: "*" }, { name: "messages" })]),
    );
    assertRefused("invalid_request", "authorization_details[0]", () =>
      resolve([{ ...ask({ name: "*" }), selection_preset: "headers" }]),
    );
    assertRefused("invalid_request", "authorization_details[1]", () =>
      resolve([
        ask({ name: "messages" }),
        { ...ask({ name: "labels" }), purpose_code: "https://other.example" },
      ]),
    );
  });

  test("it would have expired already", () => {
    assertRefused("invalid_request", "expires_at", () =>
      resolve([ask({ name: "messages" })], [home], now_ms),
    );
  });

  test("two entries cover the same stream of the same connection", () => {
    const twice = [ask({ name: "messages" }), ask({ name: "*", instance_ids: ["home"] })];
    assertRefused("grant_conflict", undefined, () => resolve(twice));
    assert.ok(
      resolve(
        [ask({ name: "messages", instance_ids: ["home"] }, { name: "messages", instance_ids: ["work"] })],
        [home, work],
      ),
    );
  });

  test("the stream does not allow selecting fields or records", () => {
    const [messages] = mail.streams;
    const fixed = { ...mail, streams: [{ ...messages!, selection: { fields: false, resources: false } }] };
    for (const part of [{ fields: ["id"] }, { resources: ["m1"] }]) {
      assertRefused("invalid_request", `authorization_details[0].streams[0].${Object.keys(part)[0]}`, () =>
        resolveGrant({
          details: [ask({ name: "messages", ...part })],
          manifests: [fixed],
          connections: [home],
          grant_id: "g1",
          subject_id: "me",
          client: { client_id: "c1" },
          now_ms,
        }),
      );
    }
  });
});

test("R51 a resolved grant never covers more than the request and the required fields", () => {
  const fieldNames = Object.keys(getProperties(mail.streams[0]!));
  const request = fc.record({
    fields: fc.option(fc.subarray(fieldNames, { minLength: 1 }), { nil: undefined }),
    ids: fc.subarray(["home", "work", "next"], { minLength: 1 }),
    since: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }),
    resources: fc.option(fc.array(fc.string({ minLength: 1, unit: "grapheme-ascii" }), { minLength: 1 }), {
      nil: undefined,
    }),
  });
  fc.assert(
    fc.property(request, ({ fields, ids, since, resources }) => {
      const entry: StreamRequest = { name: "messages", instance_ids: ids };
      if (fields) entry.fields = fields;
      if (resources) entry.resources = resources;
      if (since !== undefined) entry.time_range = { since: new Date(since).toISOString() };
      const grant = resolve([ask(entry)], [home, work, next]);
      const { streams } = resolveScope("me", [grant], now_ms);
      assert.deepEqual(streams.map((each) => each.connection_id).sort(), [...ids].sort());
      for (const stream of streams) {
        assert.equal(stream.stream, "messages");
        assert.deepEqual(new Set(stream.fields), new Set([...(fields ?? fieldNames), "id"]));
        assert.equal(stream.time?.since_ms, since);
        assert.deepEqual(stream.record_ids && new Set(stream.record_ids), resources && new Set(resources));
      }
    }),
  );
});
