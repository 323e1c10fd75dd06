/** A table that references another connection's file opens nothing (R70). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { TABLE_SOURCE_IDS } from "@rungs/contract";
import { putConnection } from "@rungs/server";
import { library } from "../../testing/library.ts";
import { onEveryEngine } from "../../testing/world.ts";

const HIDDEN_REFERENCES = 5_000;
const SAMPLES = 120;
/** Before references were looked up by scope, the median for a hidden blob was three times that for an absent one. */
const MAX_RATIO = 1.5;

onEveryEngine((world) => {
  before(async () => {
    const { store, owner_id, blob } = world();
    const parts = { store, owner_id, now: Date.now };
    const source = { ...library.source, id: TABLE_SOURCE_IDS[0] ?? "" };
    await putConnection(parts, "table", { ...library, source }, "Table");
    const { blob_id, mime_type, size_bytes, sha256 } = blob;
    const payload = { blob_id, mime_type, size_bytes, sha256 };
    const [outcome] = await store.ingest(owner_id, "table", [
      { stream: "notes", key: "row", emitted_at: "2026-05-01T00:00:00Z", data: { id: "row", payload } },
    ]);
    assert.equal(outcome?.status, "added", "a row that looks like a reference is data");
  });

  test("R70 a row that references another connection's file does not open it", async () => {
    const { store, owner_id, blob } = world();
    const streams = [{ connection_id: "table", stream: "notes", fields: ["id", "payload"] }];
    const scope = { owner_id, streams };
    const row = await store.getRecord(scope, { connection_id: "table", stream: "notes", record_id: "row" });
    assert.equal((row?.data.payload as { blob_id?: string } | undefined)?.blob_id, blob.blob_id);
    assert.equal(await store.describeBlob(scope, blob.blob_id), undefined);
  });

  test("R17 a blob that only hidden records reference costs as much work as a missing one", async () => {
    const { store, owner_id, blob } = world();
    const { blob_id, mime_type, size_bytes, sha256 } = blob;
    const picture = { blob_id, mime_type, size_bytes, sha256 };
    const written_at = "2020-01-01T00:00:00Z";
    const notes = Array.from({ length: HIDDEN_REFERENCES }, (_, at) => ({
      stream: "notes",
      key: `hidden${at}`,
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id: `hidden${at}`, written_at, picture },
    }));
    await store.ingest(owner_id, "home", notes);
    await store.tidy(owner_id);
    const stream = { connection_id: "home", stream: "notes" };
    const narrow = {
      time: { ...stream, fields: ["id", "picture"], time: { since_ms: Date.parse("2026-07-01T00:00:00Z") } },
      field: { ...stream, fields: ["id", "title"] },
      record: { ...stream, fields: ["id", "picture"], record_ids: ["n1"] },
    };
    for (const [name, limits] of Object.entries(narrow)) {
      const scope = { owner_id, streams: [limits] };
      const times: Record<string, number[]> = { hidden: [], absent: [] };
      for (let at = 0; at < 2 * SAMPLES; at += 1) {
        const kind = at % 2 === 0 ? "hidden" : "absent";
        const id = kind === "hidden" ? blob_id : String(at).padStart(64, "0");
        const start = performance.now();
        assert.equal(await store.describeBlob(scope, id), undefined);
        times[kind]?.push(performance.now() - start);
      }
      const ratio = median(times.hidden ?? []) / median(times.absent ?? []);
      assert.ok(ratio < MAX_RATIO, `${name}: ${ratio.toFixed(2)} times the time of an absent blob`);
    }
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
