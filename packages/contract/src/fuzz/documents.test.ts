/** Untrusted documents: source declarations, JSON schemas, grants and requests for them, records. */
import assert from "node:assert/strict";
import {
  createRecordCheck,
  DATA_ACCESS_TYPE,
  describeStream,
  exampleManifest,
  type Grant,
  grantKey,
  grantSchema,
  type Manifest,
  type RecordEnvelope,
  recordEnvelopeSchema,
  requireManifest,
  requireSelectionRequests,
  resolveGrant,
  resolveScope,
} from "@rungs/contract";
import fc from "fast-check";
import { fuzz, takeOrRefuse } from "../../../../testing/fuzz/cases.ts";
import { anyJson, mangledJson } from "../../../../testing/fuzz/mangled.ts";
import { createSchemaCheck, findSchemaProblem, inferTypes, jsonSchemaSchema } from "../json-schema/index.ts";
import { indexSchemas } from "../json-schema/walk.ts";

const NOW = Date.UTC(2026, 0, 1);
const manifest = requireManifest(exampleManifest);
const [messages] = manifest.streams;
assert.ok(messages);

const grant: Grant = {
  version: "0.1.0",
  grant_id: "grant_1",
  issued_at: "2026-01-01T00:00:00Z",
  subject: { id: "me" },
  client: { client_id: "agent", name: "Agent" },
  access_mode: "continuous",
  expires_at: "2027-01-01T00:00:00Z",
  retention: { max_duration: "P30D", on_expiry: "delete" },
  purpose_code: "https://pdpp.dev/purpose/assistance",
  authorization_details: [
    {
      type: DATA_ACCESS_TYPE,
      source: manifest.source,
      source_declaration: { version: "1" },
      streams: [
        {
          name: "messages",
          instance_ids: ["a", "b"],
          fields: ["id", "subject"],
          time_constraint: { field: "sent_at", since: "2026-01-01T00:00:00Z" },
          resources: ["m1"],
        },
      ],
    },
  ],
};

const request = {
  type: DATA_ACCESS_TYPE,
  source: { id: manifest.source.id },
  purpose_code: grant.purpose_code,
  access_mode: "continuous",
  streams: [
    {
      name: "messages",
      instance_ids: ["a"],
      fields: ["id", "subject"],
      time_range: { since: "2026-01-01T00:00:00Z", until: "2026-02-01T00:00:00Z" },
      resources: ["m1"],
    },
    { name: "labels", instance_ids: ["a", "b"] },
  ],
};

const envelope: RecordEnvelope = {
  stream: "messages",
  key: "m1",
  emitted_at: "2026-01-01T00:00:00Z",
  data: {
    id: "m1",
    subject: null,
    body: "text",
    from: { name: "Ada", address: "ada@example.com" },
    sent_at: "2026-01-01T00:00:00Z",
    size_bytes: 3,
    unread: true,
    parts: [{ text: "one", parts: [{ text: "two" }] }],
    anything: [{ a: 1 }, "b"],
  },
};

fuzz("a declaration is accepted or refused, and an accepted one can be used", declarations(), (value) => {
  const taken = takeOrRefuse(() => requireManifest(value));
  if (!taken) return;
  assert.deepEqual(requireManifest(taken), taken);
  for (const stream of taken.streams) {
    assert.equal(describeStream(stream).name, stream.name);
    takeOrRefuse(() => createRecordCheck(stream)(envelope));
  }
});

fuzz(
  "a JSON schema is accepted or refused, and an accepted one validates any value",
  fc.tuple(fc.oneof(anyJson, mangledJson(messages.schema)), fc.oneof(anyJson, fc.constant(envelope.data))),
  ([schema, value]) => {
    // The parser checks a declaration for unsafe names and depth before it reads the schemas.
    const isSound = takeOrRefuse(() => requireManifest(declare(schema))) !== undefined;
    const parsed = isSound ? jsonSchemaSchema.safeParse(schema).data : undefined;
    if (parsed === undefined || findSchemaProblem(parsed)) return;
    assert.ok(Array.isArray(inferTypes(parsed, indexSchemas(parsed))));
    const problem = createSchemaCheck(parsed)(JSON.parse(JSON.stringify(value)));
    assert.ok(problem === undefined || problem.message.length < 300);
  },
);

fuzz("R51 a grant is accepted or refused, and allows no more than it says", mangledJson(grant), (value) => {
  const read = grantSchema.safeParse(value).data;
  const scope = read && takeOrRefuse(() => resolveScope("me", [read], NOW));
  if (!read || !scope) return;
  const said = read.authorization_details.flatMap((detail) => detail.streams);
  for (const { connection_id, stream, fields, record_ids, time } of scope.streams) {
    const entry = said.find(
      ({ name, instance_ids }) => name === stream && instance_ids.includes(connection_id),
    );
    assert.deepEqual([fields, record_ids], [entry?.fields, entry?.resources]);
    const { since, until } = entry?.time_constraint ?? {};
    assert.equal(time !== undefined, since !== undefined || until !== undefined);
  }
  const isOther = JSON.stringify(read.authorization_details) !== JSON.stringify(grant.authorization_details);
  if (isOther) assert.notEqual(grantKey([read]), grantKey([grant]));
});

fuzz("R51 a request is resolved or refused, and never to more than it asks for", requests(), (value) => {
  const details = takeOrRefuse(() => requireSelectionRequests(value));
  const made =
    details &&
    takeOrRefuse(() =>
      resolveGrant({
        details,
        manifests: [manifest],
        connections: ["a", "b"].map((connection_id) => ({
          connection_id,
          source_id: manifest.source.id,
          declaration_version: "1",
          label: undefined,
        })),
        grant_id: "grant_2",
        subject_id: "me",
        client: { client_id: "agent" },
        now_ms: NOW,
      }),
    );
  if (!made) return;
  assert.ok(grantSchema.safeParse(made).success);
  for (const { name, fields } of made.authorization_details.flatMap(({ streams }) => streams)) {
    const stream = manifest.streams.find((each) => each.name === name);
    assert.ok(stream);
    const declared = describeStream(stream).fields.map((field) => field.name);
    assert.deepEqual(
      fields.filter((field) => !declared.includes(field)),
      [],
    );
  }
});

const checkMessage = createRecordCheck(messages);

fuzz("a record is accepted or refused by its declaration", mangledJson(envelope), (value) => {
  const read = recordEnvelopeSchema.safeParse(JSON.parse(JSON.stringify(value))).data;
  const key = read && takeOrRefuse(() => checkMessage(read));
  if (key === undefined || read?.op === "delete") return;
  assert.equal(key, read?.key);
  assert.doesNotMatch(JSON.stringify(read?.data), /"__proto__":/);
});

function declarations(): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: mangledJson(exampleManifest) }, anyJson);
}

function requests(): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: mangledJson([request]) }, anyJson);
}

/** A declaration whose only field has this schema. */
function declare(schema: unknown): Manifest {
  const [, labels] = exampleManifest.streams;
  assert.ok(labels);
  const properties = { ...(labels.schema as { properties: object }).properties, value: schema };
  const streams = [{ ...labels, schema: { type: "object", properties } }] as Manifest["streams"];
  return { ...exampleManifest, selection_presets: [], streams };
}
