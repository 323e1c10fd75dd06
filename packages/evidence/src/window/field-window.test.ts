import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldWindowSchema } from "./field-window.ts";

const record = { id: "a/b:c", connection_id: "a", stream: "b", record_id: "c" };
const field = { path: "body", text_like: true };
const window = { text: "tea", start_chars: 0, end_chars: 3, limit_chars: 4096, complete: true };

test("R20 a window is exactly what the output schema fixes: required, optional, null, and nothing more", () => {
  const full = {
    record,
    field: { ...field, mime_type: "text/plain", size_chars: 3, digest: "sha256:00" },
    window: {
      ...window,
      next_cursor: null,
      previous_cursor: "c",
      match: { q: "tea", start_chars: 0, end_chars: 3 },
    },
    resource: { uri: "pdpp://field-window/x", next_uri: null },
  };
  for (const good of [
    { record, field, window },
    full,
    { record, field, window: { ...window, match: null } },
  ]) {
    assert.deepEqual(fieldWindowSchema.parse(good), good);
  }
  const bad = [
    { record, field },
    { record: { ...record, more: 1 }, field, window },
    { record, field: { ...field, more: 1 }, window },
    { record, field: { path: "body" }, window },
    { record, field, window: { ...window, more: 1 } },
    { record, field, window: { ...window, start_chars: 0.5 } },
    { record, field, window: { ...window, match: { more: 1 } } },
    { record, field, window, more: 1 },
  ];
  for (const answer of bad) assert.ok(!fieldWindowSchema.safeParse(answer).success, JSON.stringify(answer));
});
