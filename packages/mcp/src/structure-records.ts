/** Lists of records as structured content: flat results, rungs for what is cut, and a compact envelope (R15, R32, R37). */
import { findMostDetail, type OutgoingRecord, type PageRecord, presentRecord } from "@rungs/contract";
import { type FieldView, parseFieldPath } from "@rungs/evidence";
import { citeRecord } from "./answer.ts";
import { countJson, STRUCTURED_BYTES } from "./limits.ts";
import { createBoundedRung } from "./read-record.ts";

/** How many bytes of each record a list previews: a few steps, since each try views every record again. */
const PREVIEW_BYTES = [60, 90, 135, 200, 300, 450, 600] as const;
const RUNG_BYTES = 3_500;

/** A list of records and the parts of its structured form. */
export interface StructuredRecords {
  readonly results: readonly Record<string, unknown>[];
  readonly records: readonly ReturnType<typeof createBoundedRung>[];
  readonly rows: ReturnType<typeof compactRecords>;
}

/** Structures records with about the longest previews with which `frame` of them fits (R14). */
export function structureRecords<Structured>(
  data: readonly OutgoingRecord[],
  base_url: string | undefined,
  frame: (structured: StructuredRecords) => Structured,
): Structured {
  const structure = (preview_bytes: number) => {
    const shown = data.map((record) => presentRecord(record, preview_bytes));
    return frame({
      results: shown.map(({ view: { record }, card }) => ({
        id: record.id,
        ...citeRecord(card.title, record, base_url),
      })),
      records: shown
        .map(({ view }) => createBoundedRung(view, RUNG_BYTES))
        .filter(({ fields, next }) => fields.length > 0 || next),
      rows: compactRecords(data, shown),
    });
  };
  const structureAt = (step: number) => structure(PREVIEW_BYTES[step]!);
  const steps = { least: 0, most: PREVIEW_BYTES.length - 1 };
  const step = findMostDetail(steps, (each) => countJson(structureAt(each)) <= STRUCTURED_BYTES);
  return structureAt(step ?? steps.least);
}

/** The records with what they share said once: rows of a key and its values, which end with `…` where they are cut. */
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
