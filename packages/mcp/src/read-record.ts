/** Reads one record for the tool and the resource: the same text in both forms, and the server's envelope. */
import type { Client } from "@rungs/client";
import { type OutgoingRecord, presentRecord, renderRecord } from "@rungs/contract";
import {
  type Continuation,
  countBytes,
  createRecordRung,
  type LadderField,
  type LadderRecord,
  type NamedRecord,
  parseFieldPath,
  type RecordView,
} from "@rungs/evidence";
import { citeRecord, createRenderOptions, type ToolAnswer } from "./answer.ts";
import type { Backend } from "./backend.ts";
import { countJson, leaveOut, STRUCTURED_BYTES } from "./limits.ts";
import { linkRecords } from "./links.ts";

/** Text budgets to try, largest first: the text appears in both content and structuredContent, where JSON escaping makes it longer. */
const TEXT_STEPS = [6_000, 4_500, 3_000, 1_500] as const;
const LADDER_BYTES = 3_500;
const LEAST_DATA_BYTES = 600;
/** The smallest text budget, without the record's id and one call that contains it. */
const LEAST_TEXT_BYTES = 600;

/** Reads a record; every field is bounded, and every cut is marked (R30, R31). */
export async function readRecord(
  { connection_id, stream, record_id: id }: NamedRecord,
  fields: string[] | undefined,
  { client, base_url }: Backend,
): Promise<ToolAnswer> {
  const record = await client.call("fetch", { stream, id, connection_id, fields, view: "preview" });
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

/** The members that ChatGPT requires of a fetched document, and the ladder (R32, R37). */
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

/** The server's envelope; a record that is too large is requested again with the fields that fit. */
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
  const narrower = await client.call("fetch", { stream, id, connection_id, fields, view: "preview" });
  return countJson(narrower) <= room ? narrower : undefined;
}

/** Chooses the top-level fields that fit into `room_bytes` together with the envelope, smallest first. */
function chooseFields(record: OutgoingRecord, room_bytes: number): string[] {
  const { data, cuts = [], shapes = [] } = record;
  const sizes = Object.entries(data).map(([name, value]) => {
    const own = [
      ...cuts.filter(({ path }) => parseFieldPath(path)?.[0] === name),
      ...shapes.filter((shape) => shape.name === name),
    ];
    return { name, bytes: countJson({ [name]: value }) + countJson(own) };
  });
  let left = room_bytes - countJson({ ...record, data: {}, cuts: [], shapes: [] });
  const chosen = new Set<string>();
  for (const { name, bytes } of sizes.sort((a, b) => a.bytes - b.bytes)) {
    left -= bytes;
    if (left < 0) break;
    chosen.add(name);
  }
  return Object.keys(data).filter((name) => chosen.has(name));
}

/** Creates a record's rung within `max_bytes`; if it has too many long fields, `next` fetches the rest (R37). */
export function createBoundedRung(view: RecordView, max_bytes: number): LadderRecord {
  const rung = createRecordRung(view);
  const count = countFitting(rung.fields, max_bytes);
  if (count === rung.fields.length) return rung;
  const rest = rung.fields.slice(count).map(({ path }) => String(parseFieldPath(path)?.[0] ?? path));
  const next: Continuation = { operation: "fetch", args: { id: rung.id, fields: [...new Set(rest)] } };
  return { ...rung, fields: rung.fields.slice(0, count), next };
}

function countFitting(fields: readonly LadderField[], max_bytes: number): number {
  let left = max_bytes;
  const past = fields.findIndex((field) => {
    left -= countJson(field);
    return left < 0;
  });
  return past < 0 ? fields.length : past;
}
