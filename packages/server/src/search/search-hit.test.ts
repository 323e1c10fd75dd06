import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStream, exampleManifest, type ReadScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import type { StoredHit } from "@rungs/store";
import type { Sources } from "../access/sources.ts";
import { describeHit } from "./search-hit.ts";

const sources: Sources = new Map([
  [
    "home",
    {
      connection_id: "home",
      connector_key: exampleManifest.source.id,
      display_name: "Home mail",
      manifest: exampleManifest,
      shapes: new Map(exampleManifest.streams.map((stream) => [stream.name, describeStream(stream)])),
    },
  ],
]);

const query = requireQuery("lunch");
const scope: ReadScope = { owner_id: "me", streams: [] };
const context = { sources, scope, query, mode: undefined };

function hit(data: Record<string, unknown>, proofs: StoredHit["proofs"] = []): StoredHit {
  const position = { tier: 0 as const, score: 1, time_ms: null, tie: 0, id: "home/messages:m1" };
  const place = { connection_id: "home", stream: "messages", record_id: "m1" };
  return {
    ...place,
    emitted_at: "",
    data,
    cuts: [],
    score: 1,
    matched_fields: ["body"],
    matched_clauses: [0],
    proofs,
    is_similar: false,
    position,
  };
}

test("R12 a hit without a proven match shows no text, and still identifies its record", () => {
  const shown = describeHit(hit({ id: "m1", body: "the whole body", anything: "else" }), context);
  assert.deepEqual(shown.evidence, []);
  assert.equal(shown.id, "home/messages:m1");
  assert.doesNotMatch(JSON.stringify(shown), /the whole body|else/);
});

test("R36 title and time come only from declared roles", () => {
  const { title, event_time } = describeHit(
    hit({ id: "m1", subject: "Lunch", sent_at: "2026-01-01T00:00:00Z" }),
    context,
  );
  assert.deepEqual([title, event_time], ["Lunch", "2026-01-01T00:00:00Z"]);
  const bare = describeHit(hit({ id: "m1", title: "not declared", date: "2026" }), context);
  assert.deepEqual([bare.title, bare.event_time], [null, null]);
});
