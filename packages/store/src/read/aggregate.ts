import { ApiError } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { recordInScope, type ScopedContext } from "../catalog/scope-sql.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { withSelected } from "../catalog/selection.ts";
import { type Database, Parameters, type Sql, type SqlRow } from "../database.ts";
import { decodeScalar } from "../rows/scalars.ts";
import type { AggregateRequest, AggregateResult, Scalar, Store } from "../store.ts";
import { fieldFilter, requireGroupable, requireSortable } from "./filters.ts";

interface ValueRow extends SqlRow {
  grouped: Uint8Array | null;
  time_ms: number | null;
  value: Uint8Array | null;
  number: number | null;
  records: number;
}

type Group = AggregateResult["groups"][number];

export function createAggregate(database: Database, catalog: Catalog) {
  return {
    async aggregate(scope, request) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const partition = await catalog.findScopedPartition({ sql, owner }, scope, request);
        if (!partition) return { groups: [], has_more: false, other_record_count: 0 };
        const values = await readValues(await withSelected({ sql, owner, partition }), request);
        const { limit, order } = request;
        const groups = collectGroups(values, request).sort(order === "group" ? compareNames : compareGroups);
        const others = groups.slice(limit);
        return {
          groups: groups.slice(0, limit),
          has_more: others.length > 0,
          other_record_count: others.reduce((sum, { record_count }) => sum + record_count, 0),
        };
      });
    },
  } satisfies Partial<Store>;
}

/** How often each value occurs in each group: counted in the database, combined here, so that both engines agree. */
async function readValues(context: ScopedContext, request: AggregateRequest): Promise<ValueRow[]> {
  const { sql, partition } = context;
  const parameters = new Parameters();
  const joins: string[] = [];
  const columns = { grouped: "NULL", time_ms: "NULL", value: "NULL", number: "NULL" };
  const join = (alias: string, table: "scalars" | "items", field: number) => {
    joins.push(
      `LEFT JOIN ${table} ${alias} ON ${alias}.owner = r.owner AND ${alias}.doc = r.doc AND ${alias}.field = ${parameters.add(field)}`,
    );
  };
  if (request.group_by !== undefined) {
    const { field, is_listed } = requireGroupable(partition, request.group_by);
    join("g", is_listed ? "items" : "scalars", field);
    columns.grouped = "g.value";
  }
  if (request.time_bucket !== undefined) {
    requireTime(partition);
    const step = findStepMs(request.time_bucket, request.time_zone);
    columns.time_ms = `r.time_ms - (((r.time_ms % ${step}) + ${step}) % ${step})`;
  }
  if (request.metric !== "count") {
    if (request.field === undefined)
      throw new ApiError("invalid_request", { param: "field", message: `${request.metric} needs a field.` });
    join("m", "scalars", requireSortable(partition, request.field));
    columns.value = "m.value";
    columns.number = "m.number";
  }
  const conditions = [
    recordInScope(context, parameters, "r"),
    ...(request.filters ?? []).map((filter) => fieldFilter(context, parameters, filter, "r.doc")),
  ];
  return sql.all<ValueRow>(
    `SELECT ${columns.grouped} AS grouped, ${columns.time_ms} AS time_ms, ${columns.value} AS value, ${columns.number} AS number, count(*) AS records
     FROM records r ${joins.join(" ")} WHERE ${conditions.join(" AND ")} GROUP BY 1, 2, 3, 4${limitRows(sql, parameters)}`,
    parameters.values,
  );
}

/** One row more than the remaining budget, so that the budget can refuse. */
function limitRows({ budget }: Sql, parameters: Parameters): string {
  return budget ? ` LIMIT ${parameters.add(budget.left("rows") + 1)}` : "";
}

function requireTime({ shape, granted }: ScopedPartition): void {
  const field = shape.consent_time_field;
  if (field === undefined || !granted.has(field))
    throw new ApiError("field_not_granted", { param: "time_bucket" });
}

/** Creates the function that names the group of a row. */
function createGroupReader({
  time_bucket,
  time_zone,
  group_by,
}: AggregateRequest): (row: ValueRow) => Scalar {
  if (time_bucket) {
    const name = createBucketNamer(time_bucket, time_zone);
    return ({ time_ms }) => (time_ms === null ? null : name(time_ms));
  }
  return ({ grouped }) => (group_by === undefined || grouped === null ? null : decodeScalar(grouped));
}

function collectGroups(rows: readonly ValueRow[], request: AggregateRequest): Group[] {
  const groups = new Map<string, { group: Scalar; rows: ValueRow[] }>();
  const readGroup = createGroupReader(request);
  for (const row of rows) {
    const group = readGroup(row);
    const key = JSON.stringify(group);
    const entry = groups.get(key);
    if (entry) entry.rows.push(row);
    else groups.set(key, { group, rows: [row] });
  }
  if (request.group_by === undefined && request.time_bucket === undefined && groups.size === 0)
    groups.set("null", { group: null, rows: [] });
  return [...groups.values()].map(({ group, rows: own }) => ({
    group,
    value: measure(own, request.metric),
    record_count: own.reduce((sum, row) => sum + row.records, 0),
  }));
}

function measure(rows: readonly ValueRow[], metric: AggregateRequest["metric"]): Scalar {
  if (metric === "count") return rows.reduce((sum, row) => sum + row.records, 0);
  const values = rows.filter((row) => row.value !== null).sort(compareRows);
  if (metric === "count_distinct")
    return new Set(values.map((row) => Buffer.from(row.value as Uint8Array).toString("hex"))).size;
  if (metric === "min" || metric === "max") {
    const row = metric === "min" ? values[0] : values.at(-1);
    return row ? decodeScalar(row.value as Uint8Array) : null;
  }
  const numbers = values.filter((row) => row.number !== null);
  if (numbers.length === 0) return null;
  const sum = numbers.reduce((total, row) => total + (row.number as number) * row.records, 0);
  return metric === "sum" ? sum : sum / numbers.reduce((total, row) => total + row.records, 0);
}

/** One order for both engines: the order of addition changes the last bit of a sum. */
function compareRows(a: ValueRow, b: ValueRow): number {
  const values = Buffer.compare(a.value as Uint8Array, b.value as Uint8Array);
  return values || (a.time_ms ?? 0) - (b.time_ms ?? 0);
}

function compareGroups(a: Group, b: Group): number {
  return compareScalars(b.value, a.value) || compareScalars(a.group, b.group);
}

/** Records without a value come last. */
function compareNames(a: Group, b: Group): number {
  return Number(a.group === null) - Number(b.group === null) || compareScalars(a.group, b.group);
}

function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [x, y] = [String(a), String(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

type TimeBucket = NonNullable<AggregateRequest["time_bucket"]>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The offsets of all of today's time zones are multiples of this. */
const ZONE_STEP_MS = 15 * MINUTE_MS;

/** The step by which the database groups times before they are named: the coarsest that fits every bucket boundary. */
function findStepMs(bucket: TimeBucket, time_zone: string | undefined): number {
  if (bucket === "minute") return MINUTE_MS;
  if (time_zone !== undefined) return ZONE_STEP_MS;
  return bucket === "hour" ? HOUR_MS : DAY_MS;
}

const NAMES: Readonly<Record<TimeBucket, (local: Date) => string>> = {
  minute: (local) => local.toISOString().slice(0, 16),
  hour: (local) => local.toISOString().slice(0, 13),
  day: nameDay,
  week: (local) => nameDay(new Date(local.getTime() - ((local.getUTCDay() + 6) % 7) * DAY_MS)),
  month: (local) => local.toISOString().slice(0, 7),
  quarter: (local) => `${local.toISOString().slice(0, 4)}-Q${Math.floor(local.getUTCMonth() / 3) + 1}`,
  year: (local) => local.toISOString().slice(0, 4),
};

function nameDay(local: Date): string {
  return local.toISOString().slice(0, 10);
}

/** Creates the function that names times: 2026-05-01T09:30, 2026-05-01T09, 2026-05-01 (a day, or the Monday of a week), 2026-05, 2026-Q2 or 2026. */
function createBucketNamer(bucket: TimeBucket, time_zone: string | undefined): (ms: number) => string {
  const name = NAMES[bucket];
  if (time_zone === undefined) return (ms) => name(new Date(ms));
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: time_zone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = new Date(0);
    local.setUTCFullYear(part("year"), part("month") - 1, part("day"));
    local.setUTCHours(part("hour"), part("minute"));
    return name(local);
  };
}
