/** Reads one record for the tool and the resource: the same text in both forms, and the server's envelope. */
import type { Client } from "@rungs/client";
import { type OutgoingRecord, presentRecord, renderRecord, VALUE_CHARS } from "@rungs/contract";
import {
  type Continuation,
  countBytes,
  createRecordRung,
  formatFieldPath,
  formatJsonLine,
  type LadderField,
  type LadderRecord,
  type NamedRecord,
  parseFieldPath,
  type RecordView,
} from "@rungs/evidence";
import { citeRecord, createRenderOptions, repeatCall, type ToolAnswer } from "./answer.ts";
import type { Backend } from "./backend.ts";
import { countJson, leaveOut, STRUCTURED_BYTES } from "./limits.ts";
import { linkRecords } from "./links.ts";

/**
 * Text budgets to try, largest first: the text is in both content and structuredContent, and JSON escaping lengthens it
 * there.
 */
const TEXT_STEPS = [7_000, 6_000, 4_500, 3_000, 1_500] as const;
const LADDER_BYTES = 3_500;
const LEAST_DATA_BYTES = 1_500;
const LEFT_OUT_BYTES = 60;
/** A cut value of up to this many bytes could be whole beside fewer other fields. */
const WHOLE_BYTES = VALUE_CHARS.preview.value;
/** The shares of the envelope's room to choose its fields for, until they fit. */
const DATA_SHARES = [1, 0.8, 0.5] as const;
/** The smallest text budget, without the record's id and one call that contains it. */
const LEAST_TEXT_BYTES = 600;

/** Reads a record; every field is bounded, and every cut is marked (R30, R31). */
export async function readRecord(
  { connection_id, stream, record_id: id }: NamedRecord,
  projection: Projection,
  { client, base_url }: Backend,
): Promise<ToolAnswer> {
  const record = await client.call("fetch", { stream, id, connection_id, ...projection, view: "preview" });
  const { text, view, head } = describeRecord(record, projection, base_url);
  const data = await fitData(record, STRUCTURED_BYTES - countJson(head) - LEFT_OUT_BYTES, client);
  const structured =
    data === undefined
      ? leaveOut({ ...head, data: record })
      : { ...head, data, ...nameMissing(record, data) };
  return {
    text,
    structured,
    meta: linkRecords([{ ref: view.record, calls: view.fields.map(({ next }) => next) }]),
  };
}

/** Which fields of a record to show. */
interface Projection {
  readonly fields?: string[] | undefined;
  readonly after_field?: string | undefined;
}

/** Says how many fields the envelope lacks; the ladder and the text lead to them. */
function nameMissing(record: OutgoingRecord, data: OutgoingRecord): { left_out?: string[] } {
  const [all, shown] = [record, data].map((each) => Object.keys(each.data).length) as [number, number];
  return all === shown ? {} : { left_out: [`${all - shown} of ${all} fields in data`] };
}

function describeRecord(record: OutgoingRecord, projection: Projection, base_url: string | undefined) {
  const least_bytes =
    LEAST_TEXT_BYTES + countBytes(record.handle) + countBytes(formatJsonLine(record.handle));
  const describe = (bytes: number) =>
    describeWithin(record, { projection, base_url }, Math.max(bytes, least_bytes));
  let described = describe(TEXT_STEPS[0]);
  for (const bytes of TEXT_STEPS.slice(1)) {
    if (countJson(described.head) <= STRUCTURED_BYTES - LEAST_DATA_BYTES) break;
    described = describe(bytes);
  }
  return described;
}

/** The members that ChatGPT requires of a fetched document, and the ladder (R32, R37). */
function describeWithin(
  record: OutgoingRecord,
  { projection, base_url }: { projection: Projection; base_url: string | undefined },
  budget_bytes: number,
) {
  const { connection_id, connector_key, display_name, stream, emitted_at } = record;
  const { view, card } = presentRecord(record, budget_bytes);
  const { id, record_id } = view.record;
  const { title, ...page } = citeRecord(card.title, view.record, base_url);
  const { fields } = projection;
  const call = repeatCall("fetch", { id, fields });
  const options = { ...createRenderOptions(budget_bytes), call };
  const text = renderRecord(view, [connector_key, display_name, stream], options);
  const head = {
    id,
    title,
    text,
    ...page,
    metadata: { connection_id, stream, record_id, connector_key, display_name, emitted_at },
    content_ladder: { records: [createBoundedRung(view, LADDER_BYTES, call)] },
  };
  return { text, view, head };
}

/**
 * The server's envelope; a record that is too large is requested again with the fields that fit. Fewer fields leave more
 * room for each value, so a first choice can turn out too large.
 */
async function fitData(
  record: OutgoingRecord,
  room_bytes: number,
  client: Client,
): Promise<OutgoingRecord | undefined> {
  const room = room_bytes - ',"data":'.length;
  if (countJson(record) <= room) return record;
  const { connection_id, stream, id } = record;
  for (const share of DATA_SHARES) {
    const fields = chooseFields(record, room * share);
    if (fields.length === 0) return undefined;
    const narrower = await client.call("fetch", { stream, id, connection_id, fields, view: "preview" });
    if (countJson(narrower) <= room) return narrower;
  }
  return undefined;
}

/** Chooses the top-level fields that fit into `room_bytes` together with the envelope, smallest first. */
function chooseFields(record: OutgoingRecord, room_bytes: number): string[] {
  const { data, cuts = [], shapes = [] } = record;
  const sizes = Object.entries(data).map(([name, value]) => {
    const own = [
      ...cuts.filter(({ path }) => parseFieldPath(path)?.[0] === name),
      ...shapes.filter((shape) => shape.name === name),
    ];
    const bytes = cuts.find((cut) => cut.path === formatFieldPath([name]))?.size_bytes ?? 0;
    return {
      name,
      bytes: Math.max(countJson({ [name]: value }), Math.min(bytes, WHOLE_BYTES)) + countJson(own),
    };
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

/** Creates a record's rung within `max_bytes`; if it has too many long fields, `next` continues after the last one (R37). */
export function createBoundedRung(view: RecordView, max_bytes: number, call?: Continuation): LadderRecord {
  const rung = createRecordRung(view);
  const count = Math.max(1, countFitting(rung.fields, max_bytes));
  if (count >= rung.fields.length) return rung;
  const fields = rung.fields.slice(0, count);
  const path = fields.at(-1)?.path ?? "";
  const after_field = String(parseFieldPath(path)?.[0] ?? path);
  const next: Continuation = { operation: "fetch", args: { ...call?.args, id: rung.id, after_field } };
  return { ...rung, fields, next };
}

function countFitting(fields: readonly LadderField[], max_bytes: number): number {
  let left = max_bytes;
  const past = fields.findIndex((field) => {
    left -= countJson(field);
    return left < 0;
  });
  return past < 0 ? fields.length : past;
}
