/** Narrow an extraction to the kind that a test expects. */
import assert from "node:assert/strict";
import type { Extraction } from "./extraction.ts";

export function requireText(extraction: Extraction): Extract<Extraction, { kind: "text" }> {
  assert.equal(extraction.kind, "text", JSON.stringify(extraction));
  return extraction as Extract<Extraction, { kind: "text" }>;
}

export function requireReason(extraction: Extraction, kind: "failed" | "unsupported"): string {
  assert.equal(extraction.kind, kind, JSON.stringify(extraction).slice(0, 300));
  return (extraction as { reason: string }).reason;
}
