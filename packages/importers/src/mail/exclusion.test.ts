import assert from "node:assert/strict";
import { test } from "node:test";
import { applyExclusions, describeStream, ownerScope } from "@rungs/contract";
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
  const hidden = streams.flatMap(({ connection_id, stream, never }) =>
    never ? [[connection_id, stream, never]] : [],
  );
  assert.deepEqual(hidden, [
    ["home", "messages", { conditions: [], record_ids: ["m1"] }],
    [
      "home",
      "attachments",
      { conditions: [{ field: "message_record_id", op: "equals", value: "m1" }], record_ids: [] },
    ],
  ]);
});
