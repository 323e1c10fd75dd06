import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyExclusions,
  DATA_ACCESS_TYPE,
  describeStream,
  type Exclusion,
  ownerScope,
  requireSelectionRequests,
  resolveGrant,
  type StreamScope,
} from "@rungs/contract";
import { mailManifest } from "./manifest.ts";

test("R81 the attachments of a hidden message are hidden with it, in its connection only", () => {
  const manifest = mailManifest();
  const shapes = new Map(manifest.streams.map((stream) => [stream.name, describeStream(stream)]));
  const connections = ["home", "work"].map((connection_id) => ({ connection_id, manifest }));
  const rule = {
    rule_id: "r",
    created_at: "2026-01-01T00:00:00Z",
    hides: { kind: "record", connection_id: "home", stream: "messages", record_id: "m1" },
  } as const;
  const { streams } = applyExclusions(ownerScope("me", connections), [rule], (_, stream) =>
    shapes.get(stream),
  );
  const hidden = streams.flatMap(({ connection_id, stream, never, within }) =>
    (never ?? within) ? [[connection_id, stream, never ?? within]] : [],
  );
  const never = { conditions: [], record_ids: ["m1"] };
  assert.deepEqual(hidden, [
    ["home", "messages", never],
    ["home", "attachments", [{ foreign_key: "message_record_id", stream: "messages", never }]],
  ]);
});

test("R80 conditions on every stream keep what belongs to the narrowed stream, and exclude the others", () => {
  const manifest = mailManifest();
  const grant = (where: unknown) =>
    resolveGrant({
      details: requireSelectionRequests([
        {
          type: DATA_ACCESS_TYPE,
          source: { id: manifest.source.id },
          purpose_code: "https://pdpp.dev/purpose/assistance",
          access_mode: "continuous",
          streams: [{ name: "*", where: [where] }],
        },
      ]),
      manifests: [manifest],
      connections: [
        {
          connection_id: "home",
          display_name: "Home",
          source_id: manifest.source.id,
          declaration_version: manifest.declaration_version,
        },
      ],
      grant_id: "g",
      subject_id: "me",
      client: { client_id: "agent" },
      now_ms: 0,
    }).authorization_details[0]?.streams.map(({ name, where: narrowed }) => [name, narrowed !== undefined]);
  assert.deepEqual(grant({ field: "labels", op: "equals", value: "tax" }), [
    ["messages", true],
    ["attachments", false],
  ]);
  assert.deepEqual(grant({ field: "mime_type", op: "equals", value: "text/html" }), [["attachments", true]]);
  assert.throws(() => grant({ field: "nothing", op: "present" }), { code: "invalid_request" });
});

test("R80 R81 a grant's limits on messages narrow attachments; without messages, only rules do", () => {
  const shapes = new Map(mailManifest().streams.map((stream) => [stream.name, describeStream(stream)]));
  const where = [{ field: "labels", op: "equals" as const, value: "tax" }];
  const entry = (stream: string) => ({ connection_id: "home", stream, fields: ["id"] });
  const narrow = (streams: StreamScope[], rules: Exclusion[] = []) =>
    applyExclusions({ owner_id: "me", streams }, rules, (_, stream) => shapes.get(stream)).streams.find(
      ({ stream }) => stream === "attachments",
    )?.within;
  const attachments = entry("attachments");
  assert.deepEqual(narrow([{ ...entry("messages"), where }, attachments]), [
    { foreign_key: "message_record_id", stream: "messages", where },
  ]);
  assert.equal(narrow([entry("messages"), attachments]), undefined);
  assert.equal(narrow([{ ...entry("messages"), connection_id: "work", where }, attachments]), undefined);
  const hides = { kind: "person" as const, person: "doctor@clinic.example" };
  const rule = { rule_id: "r", created_at: "2026-01-01T00:00:00Z", hides };
  const [parent] = narrow([attachments], [rule]) ?? [];
  assert.ok(parent?.never?.conditions.some(({ field }) => field === "from"));
  assert.equal(parent?.where, undefined);
});
