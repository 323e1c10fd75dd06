/** Lists of records as structured content: flat results, rungs for what is cut, and a compact envelope (R15, R32, R37). */
import { findMostDetail, type OutgoingRecord, type PageRecord, presentRecord } from "@rungs/contract";
import { type FieldView, type LadderRecord, orderFields, parseFieldPath } from "@rungs/evidence";
import { citeRecord } from "./answer.ts";
import { countJson, STRUCTURED_BYTES } from "./limits.ts";
import { createBoundedRung } from "./read-record.ts";
import { shortenRung } from "./shorten-rung.ts";

/**
 * How much of each record a list shows: bytes of previews and, in brief lists, the number of fields, those with a role
 * first.
 */
interface Detail {
  readonly preview_bytes: number;
  readonly most_fields?: number;
}

/**
 * From the least to the most, in few steps, since each try views every record again. A few fields stay whole: the rung
 * of a cut one would be longer.
 */
const DETAILS: readonly Detail[] = [
  { preview_bytes: 120, most_fields: 2 },
  { preview_bytes: 160, most_fields: 3 },
  { preview_bytes: 200, most_fields: 4 },
  { preview_bytes: 300, most_fields: 6 },
  { preview_bytes: 200 },
  { preview_bytes: 300 },
  { preview_bytes: 450 },
  { preview_bytes: 600 },
];
const RUNG_BYTES = 3_500;

/** A list of records and the parts of its structured form. */
export interface StructuredRecords {
  readonly results: readonly Record<string, unknown>[];
  readonly records: readonly LadderRecord[];
  readonly rows: ReturnType<typeof compactRecords>;
  /** What a brief list drops. */
  readonly left_out?: readonly string[];
}

/** Structures records with nearly the most detail for which `frame` of them fits (R14). */
export function structureRecords<Structured>(
  data: readonly OutgoingRecord[],
  base_url: string | undefined,
  frame: (structured: StructuredRecords) => Structured,
): Structured {
  const structure = ({ preview_bytes, most_fields }: Detail) => {
    const isBrief = most_fields !== undefined && data.length > 1;
    const records = isBrief ? data.map((record) => keepFields(record, most_fields)) : data;
    const shown = records.map((record) => presentRecord(record, preview_bytes));
    const rungs = shown.map(({ view }) => createBoundedRung(view, RUNG_BYTES));
    return frame({
      results: shown.map(({ view: { record }, card }) => ({
        id: record.id,
        ...citeRecord(card.title, record, base_url),
      })),
      records: (isBrief ? rungs.map(shortenRung) : rungs).filter(
        ({ fields, next }) => fields.length > 0 || next,
      ),
      rows: compactRecords(records, shown),
      ...(isBrief && { left_out: ["record_id", "digest", `fields of data after the first ${most_fields}`] }),
    });
  };
  const structureAt = (step: number) => structure(DETAILS[step]!);
  const steps = { least: 0, most: DETAILS.length - 1 };
  const step = findMostDetail(steps, (each) => countJson(structureAt(each)) <= STRUCTURED_BYTES);
  return structureAt(step ?? steps.least);
}

/** A record with its first fields; fields with a role come first. */
function keepFields(record: OutgoingRecord, most: number): OutgoingRecord {
  const { data, cuts = [], shapes = [] } = record;
  const roles = new Map(shapes.map(({ name, role }) => [name, role]));
  const names = orderFields(Object.keys(data), (name) => roles.get(name)).slice(0, most);
  const isKept = (name: string) => names.includes(name);
  return {
    ...record,
    data: Object.fromEntries(names.map((name) => [name, data[name]])),
    cuts: cuts.filter(({ path }) => isKept(String(parseFieldPath(path)?.[0] ?? path))),
    shapes: shapes.filter(({ name }) => isKept(name)),
  };
}

/** The records as rows of a key and its values, so that shared parts appear once; cut values end with `…`. */
function compactRecords(records: readonly OutgoingRecord[], shown: readonly PageRecord[]) {
  const [first] = records;
  const roles = new Map(records.flatMap(({ shapes = [] }) => shapes).map((shape) => [shape.name, shape]));
  return {
    ...(first && {
      connection_id: first.connection_id,
      connector_key: first.connector_key,
      display_name: first.display_name,
      stream: first.stream,
    }),
    ...(roles.size === 0 ? {} : { shapes: [...roles.values()] }),
    data: records.map((record, at) => ({
      id: record.id,
      data: Object.fromEntries(
        (shown[at] as PageRecord).view.fields.flatMap((field) => showValue(record, field)),
      ),
    })),
  };
}

function showValue(
  { data }: OutgoingRecord,
  { path, status, preview, kind }: FieldView,
): [string, unknown][] {
  const names = parseFieldPath(path) ?? [];
  if (names.length !== 1) return [];
  const name = String(names[0]);
  const isWhole = status === "complete" || kind === "blob";
  return [[name, isWhole ? data[name] : `${preview}…`]];
}
