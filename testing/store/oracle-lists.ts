/** The oracle's pages, filters and groups: it sorts all records and keeps those that match. */
import { type FieldShape, parseTimeMs, type ReadScope } from "@rungs/contract";
import type { AggregateRequest, AggregateResult, ListRequest, Scalar, ScalarFilter } from "@rungs/store";
import { type Covered, compareText, fieldOf, type Held, type Oracle } from "./oracle.ts";

/** A scalar as it compares: by type, then by value. */
type Rank = readonly [type: number, value: number | string, written: string];

/** Every record of a list, in its order. */
export function listAll(oracle: Oracle, scope: ReadScope, request: ListRequest): Held[] {
  const covered = oracle.coverOne(scope, request);
  if (!covered) return [];
  const { shape, granted } = covered;
  const by = request.order_by ?? shape.cursor_field;
  const field = by !== undefined && granted.has(by) ? fieldOf(shape, by) : undefined;
  const direction = request.order === "asc" ? 1 : -1;
  return filterAll(covered, request.filters).sort((a, b) => {
    const [x, y] = [a, b].map(({ data }) => (field ? rankOf(field, data[field.name]) : undefined));
    const ids = direction * compareText(a.ref.record_id, b.ref.record_id);
    if (!x || !y) return Number(!x) - Number(!y) || ids;
    return direction * compareRanks(x, y) || ids;
  });
}

export function aggregateAll(oracle: Oracle, scope: ReadScope, request: AggregateRequest): AggregateResult {
  const covered = oracle.coverOne(scope, request);
  if (!covered) return { groups: [], has_more: false, other_record_count: 0 };
  const grouped = new Map<string, { group: Scalar; records: Held[] }>();
  for (const held of filterAll(covered, request.filters)) {
    const group = groupOf(held, request, covered);
    const entry = grouped.get(JSON.stringify(group)) ?? { group, records: [] };
    entry.records.push(held);
    grouped.set(JSON.stringify(group), entry);
  }
  const isGrouped = request.group_by !== undefined || request.time_bucket !== undefined;
  if (!isGrouped && grouped.size === 0) grouped.set("null", { group: null, records: [] });
  const groups = [...grouped.values()].map(({ group, records }) => ({
    group,
    value: measure(covered, records, request),
    record_count: records.length,
  }));
  groups.sort((a, b) => compareScalars(b.value, a.value) || compareScalars(a.group, b.group));
  const others = groups.slice(request.limit);
  return {
    groups: groups.slice(0, request.limit),
    has_more: others.length > 0,
    other_record_count: others.reduce((sum, { record_count }) => sum + record_count, 0),
  };
}

/** The records of a stream that meet every filter. */
export function filterAll(
  { shape, records }: Pick<Covered, "shape" | "records">,
  filters: readonly ScalarFilter[] = [],
): Held[] {
  return records.filter((held) =>
    filters.every((filter) => fits(fieldOf(shape, filter.field), held, filter)),
  );
}

function fits(field: FieldShape, { data }: Held, { op, value }: ScalarFilter): boolean {
  if (field.listed) {
    const values = listValues(data[field.name]);
    const found = values.some((each) => each === value);
    return values.length > 0 && found === (op === "=");
  }
  const own = rankOf(field, data[field.name]);
  const other = rankOf(field, value);
  if (!own || !other) return false;
  const order = own[0] - other[0] || compareValues(own[1], other[1]);
  return {
    "=": order === 0,
    "!=": order !== 0,
    "<": order < 0,
    "<=": order <= 0,
    ">": order > 0,
    ">=": order >= 0,
  }[op];
}

/** The scalars of a list, of a person, or of a list of persons. */
function listValues(value: unknown): unknown[] {
  const members = [value]
    .flat()
    .flatMap((one) =>
      one !== null && typeof one === "object" && !Array.isArray(one) ? Object.values(one) : [one],
    );
  return members.filter((one) => ["string", "number", "boolean"].includes(typeof one));
}

function rankOf({ format }: FieldShape, value: unknown): Rank | undefined {
  if (typeof value === "boolean") return [1, Number(value), ""];
  const time = format === "date-time" || format === "date" ? parseTimeMs(value) : undefined;
  if (time !== undefined) return [3, time, String(value)];
  if (typeof value === "number") return [2, value, ""];
  return typeof value === "string" ? [4, value, ""] : undefined;
}

function compareRanks(a: Rank, b: Rank): number {
  return a[0] - b[0] || compareValues(a[1], b[1]) || compareText(a[2], b[2]);
}

function compareValues(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b));
}

function groupOf(
  { data, time_ms }: Held,
  { group_by, time_bucket }: AggregateRequest,
  { shape }: Covered,
): Scalar {
  const chars = { minute: 16, hour: 13, day: 10, week: 10, month: 7, quarter: 7, year: 4 };
  if (time_bucket)
    return time_ms === null ? null : new Date(time_ms).toISOString().slice(0, chars[time_bucket]);
  if (group_by === undefined) return null;
  return rankOf(fieldOf(shape, group_by), data[group_by]) ? (data[group_by] as Scalar) : null;
}

function measure({ shape }: Covered, records: readonly Held[], { metric, field }: AggregateRequest): Scalar {
  if (metric === "count" || field === undefined) return records.length;
  const declared = fieldOf(shape, field);
  const values = records
    .map(({ data }) => ({ value: data[field] as Scalar, rank: rankOf(declared, data[field]) }))
    .filter((one): one is { value: Scalar; rank: Rank } => one.rank !== undefined)
    .sort((a, b) => compareRanks(a.rank, b.rank));
  if (metric === "count_distinct") return new Set(values.map(({ rank }) => JSON.stringify(rank))).size;
  if (metric === "min") return values[0]?.value ?? null;
  if (metric === "max") return values.at(-1)?.value ?? null;
  const numbers = values.map(({ value }) => value).filter((value) => typeof value === "number");
  if (numbers.length === 0) return null;
  const sum = numbers.reduce((total, number) => total + number, 0);
  return metric === "sum" ? sum : sum / numbers.length;
}

/** Missing values first, numbers by value, everything else by its text. */
function compareScalars(a: Scalar, b: Scalar): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}
