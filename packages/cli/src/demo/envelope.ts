import type { RecordEnvelope } from "@rungs/contract";

const FIRST_MS = Date.UTC(2026, 0, 5, 8, 30);

/** The time so many minutes after the sample data begins. */
export function timeAt(minutes: number): string {
  return new Date(FIRST_MS + minutes * 60_000).toISOString();
}

/** Writes a sample record. */
export function envelope(stream: string, id: string, data: Record<string, unknown>): RecordEnvelope {
  return { stream, key: id, emitted_at: "2026-07-01T00:00:00Z", data: { id, ...data } };
}
