import { type OutgoingRecord, presentRecord } from "@rungs/contract";
import { citeRecord } from "./answer.ts";
import { createBoundedRung } from "./read-record.ts";

/** How many bytes of each record a list previews. */
export const PREVIEW_BYTES = 600;
const RUNG_BYTES = 3_500;

/** A list of records as flat results that ChatGPT cites, and as rungs of the ladder (R32, R37). */
export function structureRecords(data: readonly OutgoingRecord[], base_url: string) {
  const shown = data.map((record) => presentRecord(record, PREVIEW_BYTES));
  const results = shown.map(({ view: { record }, card }) => ({
    id: record.id,
    ...citeRecord(card.title, record, base_url),
    connection_id: record.connection_id,
    stream: record.stream,
    record_id: record.record_id,
    ...(card.event_time === undefined ? {} : { event_time: card.event_time }),
  }));
  const records = shown.map(({ view }) => ({
    ...createBoundedRung(view, RUNG_BYTES),
    next: { operation: "fetch" as const, args: { id: view.record.id } },
  }));
  return { results, records };
}
