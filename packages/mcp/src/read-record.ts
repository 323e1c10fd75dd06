/** One record, for the tool and for the resource: the same text in both halves, the server's envelope beside it. */
import type { Client } from "@rungs/client";
import { type OutgoingRecord, presentRecord, renderRecord } from "@rungs/contract";
import { countBytes, type NamedRecord } from "@rungs/evidence";
import type { Backend } from "./adapter.ts";
import { createRenderOptions, type ToolAnswer } from "./answer.ts";
import { citeRecord } from "./citation.ts";
import { leaveOut } from "./leave-out.ts";
import { countJson, STRUCTURED_BYTES } from "./limits.ts";
import { linkRecords } from "./links.ts";
import { chooseFields } from "./narrow-record.ts";
import { createBoundedRung } from "./record-rung.ts";

/** The text stands in both halves and grows when it is written as JSON: the first of these that fits is taken. */
const TEXT_STEPS = [6_000, 4_500, 3_000, 1_500] as const;
const LADDER_BYTES = 3_500;
const LEAST_DATA_BYTES = 600;
/** What the least text says beside the record's id and one call with it. */
const LEAST_TEXT_BYTES = 600;

/** Reads a record and describes it, every field bounded and none cut in silence (R30, R31). */
export async function readRecord(
  { connection_id, stream, record_id: id }: NamedRecord,
  fields: string[] | undefined,
  { client, base_url }: Backend,
): Promise<ToolAnswer> {
  const record = await client.call("fetch", { stream, id, connection_id, fields });
  const { text, view, head } = describeRecord(record, base_url);
  const data = await fitData(record, STRUCTURED_BYTES - countJson(head), client);
  const structured = data === undefined ? leaveOut(head) : { ...head, data };
  return {
    text,
    structured,
    meta: linkRecords([{ ref: view.record, calls: view.fields.map(({ next }) => next) }]),
  };
}

function describeRecord(record: OutgoingRecord, base_url: string) {
  const least_bytes = LEAST_TEXT_BYTES + countBytes(record.handle) + countJson(record.handle);
  const describe = (bytes: number) => describeWithin(record, base_url, Math.max(bytes, least_bytes));
  let described = describe(TEXT_STEPS[0]);
  for (const bytes of TEXT_STEPS.slice(1)) {
    if (countJson(described.head) <= STRUCTURED_BYTES - LEAST_DATA_BYTES) break;
    described = describe(bytes);
  }
  return described;
}

/** What ChatGPT asks of a fetched document, and the ladder (R32, R37). */
function describeWithin(record: OutgoingRecord, base_url: string, budget_bytes: number) {
  const { connection_id, connector_key, display_name, stream, emitted_at } = record;
  const { view, card } = presentRecord(record, budget_bytes);
  const { id, record_id } = view.record;
  const { title, url } = citeRecord(card.title, view.record, base_url);
  const text = renderRecord(view, [connector_key, display_name, stream], createRenderOptions(budget_bytes));
  const head = {
    id,
    title,
    text,
    url,
    metadata: { connection_id, stream, record_id, connector_key, display_name, emitted_at },
    content_ladder: { records: [createBoundedRung(view, LADDER_BYTES)] },
  };
  return { text, view, head };
}

/** The server's envelope; a record that is too large is asked for again with the fields that fit. */
async function fitData(
  record: OutgoingRecord,
  room_bytes: number,
  client: Client,
): Promise<OutgoingRecord | undefined> {
  const room = room_bytes - ',"data":'.length;
  if (countJson(record) <= room) return record;
  const fields = chooseFields(record, room);
  if (fields.length === 0) return undefined;
  const { connection_id, stream, id } = record;
  const narrower = await client.call("fetch", { stream, id, connection_id, fields });
  return countJson(narrower) <= room ? narrower : undefined;
}
