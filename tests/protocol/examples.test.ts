/** The examples of the specification: Rungs accepts the inputs, and produces the outputs that clients are promised. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGrant, createOwnerToken } from "@rungs/server";
import type { Json } from "../../testing/world.ts";
import { AUDIENCE, listenOn, openApart } from "./apart.ts";
import { createSpecificationClient } from "./client.ts";

const SOURCE = { kind: "connector", id: "https://registry.pdpp.dev/connectors/spotify" };
const ACCOUNT = "spotify-account-a";
const JSON_TYPE = { "Content-Type": "application/json" };
const NDJSON = { "Content-Type": "application/x-ndjson" };

const text = { type: "string" };
const time = { type: "string", format: "date-time" };

/** Section 5. */
const declaration = {
  protocol_version: "0.1.0",
  source: SOURCE,
  declaration_version: "2026-08-11",
  publisher: { id: "https://registry.pdpp.dev/" },
  display: { name: "Spotify" },
  selection_presets: [
    {
      id: "listening_history",
      label: "Listening",
      streams: [{ name: "top_artists" }, { name: "play_events" }],
    },
  ],
  streams: [
    {
      name: "top_artists",
      description: "Artists",
      display: { label: "Your top artists", detail: "Names and genres." },
      semantics: "mutable_state",
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          id: text,
          name: text,
          genres: { type: "array", items: text },
          popularity: { type: "integer" },
          source_updated_at: time,
          blob_ref: { type: "object" },
        },
        required: ["id", "name"],
      },
      primary_key: ["id"],
      cursor_field: "source_updated_at",
      consent_time_field: "source_updated_at",
      selection: { fields: true, resources: false },
      query: { range_filters: { source_updated_at: ["gte", "gt", "lte", "lt"] } },
      views: [{ id: "basic", label: "Names", fields: ["id", "name", "genres"] }],
    },
    {
      name: "play_events",
      description: "Plays",
      semantics: "append_only",
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { id: text, track_id: text, played_at: time, duration_ms: { type: "integer" } },
        required: ["id", "track_id", "played_at"],
      },
      primary_key: ["id"],
      cursor_field: "played_at",
      consent_time_field: "played_at",
      selection: { fields: true, resources: false },
    },
  ],
  extensions: {},
};

/** Section 6. */
const request = {
  type: "https://pdpp.dev/data-access",
  source: SOURCE,
  purpose_code: "https://pdpp.dev/purpose/personalization",
  purpose_description: "Concerts",
  access_mode: "continuous",
  streams: [
    {
      name: "top_artists",
      necessity: "required",
      instance_ids: [ACCOUNT],
      time_range: { since: "2025-09-28T00:00:00Z" },
    },
    { name: "play_events", necessity: "optional" },
  ],
  client_claims: { commitments: ["Only for concerts"] },
} as const;

/** Section 7: what the request resolves to. */
const granted = {
  name: "top_artists",
  instance_ids: [ACCOUNT],
  fields: ["id", "name", "genres", "popularity", "source_updated_at", "blob_ref"],
  time_constraint: { field: "source_updated_at", since: "2025-09-28T00:00:00Z" },
};

/** Section 8: token introspection. */
const introspected = {
  active: true,
  pdpp_token_kind: "client",
  subject_id: "alice",
  grant_id: "grt_8f72a1b3",
  client_id: "music_recommendations",
  exp: 4_102_444_800,
  authorization_details: [
    {
      type: "https://pdpp.dev/data-access",
      source: SOURCE,
      source_declaration: { version: "2026-08-11" },
      purpose_code: request.purpose_code,
      purpose_description: request.purpose_description,
      access_mode: "continuous",
      streams: [granted],
      retention: { max_duration: "P1Y", on_expiry: "delete" },
    },
  ],
};

/** Section 8, as the specification prints them, with its own names. */
const freshness = {
  captured_at: "2026-04-06T15:01:00Z",
  status: "current",
  last_attempted_at: "2026-04-06T15:01:00Z",
};
const conversation = {
  object: "record",
  id: "conv_1",
  stream: "conversations",
  data: { id: "conv_1", title: "Trip", source_created_at: "2026-03-25T18:22:11Z" },
  emitted_at: "2026-04-06T15:01:00Z",
};
const tombstone = {
  object: "record",
  id: "conv_2",
  stream: "conversations",
  deleted: true,
  deleted_at: "2026-04-06T15:01:00Z",
  emitted_at: "2026-04-06T15:01:00Z",
};
const list = { object: "list", url: "/v1/streams/conversations/records", freshness };
const printed = {
  streams: {
    object: "list",
    data: [
      {
        object: "stream",
        name: "messages",
        record_count: 48_302,
        last_updated: "2026-04-06T15:01:00Z",
        freshness,
      },
    ],
  },
  records: { ...list, has_more: true, next_cursor: "a", next_changes_since: "b", data: [conversation] },
  record: conversation,
  error: {
    error: {
      type: "permission_error",
      code: "grant_stream_not_allowed",
      message: "Not granted.",
      param: "expand[0]",
      request_id: "req_1",
    },
  },
} as const;

test("R85 the specification's example answers validate against the schemas for Rungs' answers", () => {
  const client = createSpecificationClient(async () => new Response(), "");
  for (const [shape, example] of Object.entries(printed))
    client.validate(shape as keyof typeof printed, example);
  client.validate("records", {
    ...list,
    has_more: false,
    next_changes_since: "b",
    data: [conversation, tombstone],
  });
  for (const broken of [
    { ...list, data: [] },
    { ...list, has_more: false, data: [{ id: "x" }] },
  ])
    assert.throws(() => client.validate("records", broken));
  assert.throws(() => client.validate("error", { error: printed.error.error, more: 1 }));
});

test("R85 the specification's declaration, records, request, grant and introspection work verbatim", async (t) => {
  const issuer = await listenOn(t, (asked, response) => {
    const own = `http://${asked.headers.host}`;
    const isMetadata = asked.url?.startsWith("/.well-known");
    response.setHeader("Content-Type", "application/json");
    response.end(
      JSON.stringify(
        isMetadata ? { issuer: own, introspection_endpoint: `${own}/introspect` } : introspected,
      ),
    );
  });
  const apart = await openApart(t, { issuer, credential: { client_id: "rs", client_secret: "s" } });
  const { store, owner_id } = apart.world;
  const owner = { store, owner_id, now: () => apart.clock.now };
  const own = createSpecificationClient(apart.ask, await createOwnerToken(owner));
  const post = { method: "POST" };

  const declared = `/connectors?connection_id=${ACCOUNT}`;
  await own.send("connector", declared, { ...post, body: JSON.stringify(declaration), headers: JSON_TYPE });
  const picture = { ...post, body: "jpeg bytes", headers: { "Content-Type": "image/jpeg" } };
  const { object: _, ...blob_ref } = await own.send("blob", `/v1/blobs?connection_id=${ACCOUNT}`, picture);
  const data = {
    id: "a1",
    name: "Ásgeir 漢字",
    genres: ["folk"],
    popularity: 61,
    source_updated_at: "2026-03-28T15:00:00Z",
    blob_ref,
  };
  const old = { id: "a0", name: "Before the limit", source_updated_at: "2024-01-01T00:00:00Z" };
  const records = [data, old].map((each) => ({
    stream: "top_artists",
    key: each.id,
    data: each,
    emitted_at: "2026-03-28T15:01:00Z",
  }));
  const body = records.map((record) => JSON.stringify(record)).join("\n");
  const ingest = `/v1/ingest/top_artists?connection_id=${ACCOUNT}`;
  const taken = await own.send("ingest", ingest, { ...post, body, headers: NDJSON });
  assert.deepEqual([taken.records_accepted, taken.records_rejected], [2, 0]);
  const wrongKey = JSON.stringify({ ...records[0], key: "another" });
  const refused = await own.send("ingest", ingest, { ...post, body: wrongKey, headers: NDJSON });
  assert.equal(refused.records_rejected, 1);

  // The request resolves to the grant that the specification prints.
  const client = { client_id: introspected.client_id };
  const { grant } = await createGrant(owner, { client, details: [request as Json] });
  const resolved = grant.authorization_details[0]?.streams[0];
  const since_ms = (limits: { time_constraint?: { since?: string | undefined } | undefined } | undefined) =>
    Date.parse(limits?.time_constraint?.since ?? "");
  assert.equal(since_ms(resolved), since_ms(granted));
  assert.deepEqual({ ...resolved, time_constraint: undefined }, { ...granted, time_constraint: undefined });
  assert.deepEqual(
    grant.authorization_details[0]?.streams.map(({ name, instance_ids }) => [name, instance_ids]),
    [
      ["top_artists", [ACCOUNT]],
      ["play_events", [ACCOUNT]],
    ],
  );

  // The introspected grant matches what can be read.
  const reader = createSpecificationClient(apart.ask, "opaque");
  const page = await reader.get("records", "/v1/streams/top_artists/records");
  const [only, ...others] = page.data;
  assert.deepEqual([only.id, others, page.has_more], ["a1", [], false]);
  const { blob_ref: read, ...plain } = only.data;
  const { blob_ref: __, ...sent } = data;
  assert.deepEqual(plain, sent);
  assert.deepEqual({ ...read, fetch_url: undefined }, { ...blob_ref, fetch_url: undefined });
  const blob = await apart.ask(new URL(read.fetch_url, AUDIENCE).pathname, {
    headers: { Authorization: "Bearer opaque" },
  });
  assert.equal(await blob.text(), "jpeg bytes");
  assert.match(blob.headers.get("Cache-Control") ?? "", /private, no-store/);
  assert.equal(blob.headers.get("Accept-Ranges"), "bytes");

  const { data: streams } = await reader.get("streams", "/v1/streams");
  assert.deepEqual(
    streams.map(({ name, record_count }: Json) => [name, record_count]),
    [["top_artists", 1]],
  );
  const metadata = await reader.get("stream", "/v1/streams/top_artists");
  assert.deepEqual(metadata.query.range_filters.source_updated_at, ["gte", "gt", "lte", "lt"]);
  const { error } = await reader.get("error", "/v1/streams/play_events/records");
  assert.deepEqual([error.type, error.code], ["permission_error", "grant_stream_not_allowed"]);

  const changed = { ...records[0], data: { ...data, popularity: 62 } };
  await own.send("ingest", ingest, { ...post, body: JSON.stringify(changed), headers: NDJSON });
  const since = encodeURIComponent(page.next_changes_since);
  const changes = await reader.get("records", `/v1/streams/top_artists/records?changes_since=${since}`);
  assert.deepEqual(
    changes.data.map((each: Json) => each.data.popularity),
    [62],
  );
  await apart.ask(`/v1/streams/top_artists/records/a1?connection_id=${ACCOUNT}`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${await createOwnerToken(owner)}` },
  });
  const next = encodeURIComponent(changes.next_changes_since);
  const gone = await reader.get("records", `/v1/streams/top_artists/records?changes_since=${next}`);
  assert.deepEqual(
    gone.data.map(({ id, deleted }: Json) => [id, deleted]),
    [["a1", true]],
  );
});
