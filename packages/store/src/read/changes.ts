/** Lists changes for clients that keep a copy: whole records, and tombstones for records that left a scope. */
import { ApiError } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import {
  hasConditions,
  recordInScope,
  type ScopedContext,
  visibleFields,
  wasInScope,
} from "../catalog/scope-sql.ts";
import type { ScopedParent } from "../catalog/scoped-partition.ts";
import { type Database, Parameters, type SqlContext, type SqlRow } from "../database.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { Change, Store } from "../store.ts";
import { ChangeKind } from "../write/change-log.ts";
import { forgetFormer } from "../write/former-values.ts";
import { readValues, trimPage } from "./fit-values.ts";

interface RecordChange extends RecordRow {
  change_seq: number;
}

interface Departure extends SqlRow {
  change_seq: number;
  record_id: string;
  emitted_at: string;
  changed_at: string;
}

export function createChanges(database: Database, catalog: Catalog) {
  return {
    async listChanges(scope, request) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const { next_seq, changes_floor, values_floor } = await readPosition({ sql, owner });
        const isExpired = (floor: number | null) => request.since > 0 && request.since < (floor ?? 0);
        if (isExpired(changes_floor)) throw new ApiError("cursor_expired", { param: "changes_since" });
        const horizon = Math.min(request.horizon ?? next_seq - 1, next_seq - 1);
        const partition = await catalog.findScopedPartition({ sql, owner }, scope, request);
        if (!partition) return { changes: [], horizon };
        if (hasConditions(partition) && isExpired(values_floor))
          throw new ApiError("cursor_expired", { param: "changes_since" });
        const fields = visibleFields(partition, request.fields);
        const span: Span = {
          sql,
          owner,
          partition,
          fields,
          after: request.after?.position ?? request.since,
          horizon,
          limit: request.limit + 1,
        };
        if (request.since > 0 && (await haveParentsMoved(span, request.since)))
          throw new ApiError("cursor_expired", { param: "changes_since" });
        const { limits } = request;
        const rows = await readRecords(span);
        const kept = new Set(trimPage(span, rows.slice(0, request.limit), fields, limits));
        const [tooMuch] = rows.filter((row) => !kept.has(row));
        const found = [...rows, ...(await readDepartures(span))].sort((a, b) => a.change_seq - b.change_seq);
        const page = found
          .slice(0, request.limit)
          .filter(({ change_seq }) => change_seq < (tooMuch?.change_seq ?? Number.POSITIVE_INFINITY));
        const last = page.at(-1);
        const next = found.length > page.length && last ? { position: last.change_seq } : undefined;
        const changes: Change[] = [];
        for (const row of page)
          changes.push(
            isRecord(row)
              ? { kind: "record", record: await readValues(span, row, fields, limits) }
              : describeDeparture(row),
          );
        return { changes, horizon, next };
      });
    },

    async forgetDepartures(owner_id, before) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, async (sql) => {
        const isGone =
          "NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = changes.owner AND r.part = changes.part AND r.record_id = changes.record_id)";
        await sql.run(
          `DELETE FROM changes WHERE owner = $1 AND seq < $2
             AND (kind = ${ChangeKind.deleted} OR (kind = ${ChangeKind.moved} AND ${isGone}))`,
          [owner, before],
        );
        await forgetFormer({ sql, owner });
        await sql.run("UPDATE owners SET changes_floor = $2 WHERE owner = $1 AND changes_floor < $2", [
          owner,
          before,
        ]);
      });
    },
  } satisfies Partial<Store>;
}

/** The span of the change log that one page reads: after `after`, up to and including `horizon`. */
interface Span extends ScopedContext {
  readonly fields: ReadonlySet<string>;
  readonly after: number;
  readonly horizon: number;
  readonly limit: number;
}

interface Position extends SqlRow {
  next_doc: number;
  next_seq: number;
  changes_floor: number;
  /** The same for scopes with conditions; null when it is not later. */
  values_floor: number | null;
}

/** The owner's newest change, and the oldest position from which changes are still complete. */
export async function readPosition({ sql, owner }: SqlContext): Promise<Position> {
  const rows = await sql.all<Position>(
    "SELECT next_doc, next_seq, changes_floor, values_floor FROM owners WHERE owner = $1",
    [owner],
  );
  return rows[0] as Position;
}

/** Records of the scope whose newest visible change is in the span. */
async function readRecords(span: Span): Promise<RecordChange[]> {
  const parameters = new Parameters();
  const changeInSpan = inSpan(parameters, span, "c");
  const news = (alias: string) => isNews(parameters, span, alias);
  return span.sql.all<RecordChange>(
    `SELECT c.seq AS change_seq, ${RECORD_COLUMNS}
     FROM changes c JOIN records r ON r.record_id = c.record_id AND ${recordInScope(span, parameters, "r")}
     WHERE ${changeInSpan} AND ${news("c")} AND NOT EXISTS (${laterChange(parameters, span)} AND ${news("d")})
     ORDER BY c.seq LIMIT ${parameters.add(span.limit)}`,
    parameters.values,
  );
}

/** Records that the scope covered until a change in the span. */
async function readDepartures(span: Span): Promise<Departure[]> {
  const parameters = new Parameters();
  const departs = (alias: string) =>
    [`${alias}.kind >= ${ChangeKind.moved}`, ...wasInScope(span, parameters, alias)].join(" AND ");
  return span.sql.all<Departure>(
    `SELECT c.seq AS change_seq, c.record_id, c.emitted_at, c.changed_at FROM changes c
     WHERE ${inSpan(parameters, span, "c")} AND ${departs("c")}
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.record_id = c.record_id AND ${recordInScope(span, parameters, "r")})
       AND NOT EXISTS (${laterChange(parameters, span)} AND ${departs("d")})
     ORDER BY c.seq LIMIT ${parameters.add(span.limit)}`,
    parameters.values,
  );
}

function isRecord(row: RecordChange | Departure): row is RecordChange {
  return "data" in row;
}

function describeDeparture({ record_id, changed_at, emitted_at }: Departure): Change {
  return { kind: "tombstone", record_id, deleted_at: changed_at, emitted_at };
}

function inSpan(parameters: Parameters, { owner, partition, after, horizon }: Span, alias: string): string {
  return `${alias}.owner = ${parameters.add(owner)} AND ${alias}.part = ${parameters.add(partition.id)} AND ${alias}.seq > ${parameters.add(after)} AND ${alias}.seq <= ${parameters.add(horizon)}`;
}

function laterChange(parameters: Parameters, { horizon }: Span): string {
  return `SELECT 1 FROM changes d WHERE d.owner = c.owner AND d.part = c.part AND d.record_id = c.record_id AND d.seq > c.seq AND d.seq <= ${parameters.add(horizon)}`;
}

/** Whether a change shows in the scope: the record is new, a field of the scope changed, or it moved into the scope. */
function isNews(parameters: Parameters, span: Span, alias: string): string {
  const { sql, fields } = span;
  const shows = `${alias}.kind < ${ChangeKind.deleted} AND ${sql.dialect.sharesText(`${alias}.fields`, parameters.add([...fields]))}`;
  const within = wasInScope(span, parameters, alias);
  // A comparison with a missing time is NULL, which counts as outside.
  const movedIn = within.length === 0 ? "1 = 0" : `NOT coalesce(${within.join(" AND ")}, FALSE)`;
  return `(${alias}.kind = ${ChangeKind.created} OR (${shows}) OR (${alias}.kind = ${ChangeKind.moved} AND ${movedIn}))`;
}

/** The changes that a client has not seen: after `since`, up to and including `horizon`. */
interface Unseen extends ScopedContext {
  readonly horizon: number;
}

/**
 * Whether records moved in or out of a scope with their parents. The change log has no row for that, which would be one for each
 * child, so clients that follow such children start over.
 */
async function haveParentsMoved(context: Unseen, since: number): Promise<boolean> {
  for (const parent of context.partition.parents) if (await hasMoved(context, parent, since)) return true;
  return false;
}

/** Whether a parent came into the scope or left it, and has or had a child that the client may know. */
async function hasMoved(context: Unseen, { link, partition }: ScopedParent, since: number): Promise<boolean> {
  if (!partition) return false;
  const { sql, owner, horizon } = context;
  const parent = { ...context, partition, selected: undefined };
  const parameters = new Parameters();
  const [ownerAt, parentAt, childAt, linkAt, sinceAt] = [
    owner,
    partition.id,
    context.partition.id,
    link,
    since,
  ].map((value) => parameters.add(value));
  const was = `(c.kind <> ${ChangeKind.created} AND coalesce(${["1 = 1", ...wasInScope(parent, parameters, "c")].join(" AND ")}, FALSE))`;
  const is = `EXISTS (SELECT 1 FROM records r WHERE r.record_id = c.record_id AND ${recordInScope(parent, parameters, "r")})`;
  const key = sql.dialect.toBytes("c.record_id");
  const lives = `EXISTS (SELECT 1 FROM items l CROSS JOIN records k WHERE l.owner = ${ownerAt} AND l.part = ${childAt} AND l.field = ${linkAt} AND l.value = ${key}
    AND k.owner = l.owner AND k.doc = l.doc AND NOT EXISTS (SELECT 1 FROM changes n WHERE n.owner = ${ownerAt} AND n.part = ${childAt} AND n.record_id = k.record_id
      AND n.kind = ${ChangeKind.created} AND n.seq > ${sinceAt}))`;
  // A child of a deleted parent was inside before: its own tombstone reports that it left.
  const left = `EXISTS (SELECT 1 FROM former_values l WHERE l.owner = ${ownerAt} AND l.part = ${childAt} AND l.field = ${linkAt} AND l.value = ${key}
    AND l.seq > CASE c.kind WHEN ${ChangeKind.deleted} THEN c.seq ELSE ${sinceAt} END)`;
  const [row] = await sql.all<{ moved: number }>(
    `SELECT 1 AS moved FROM changes c WHERE c.owner = ${ownerAt} AND c.part = ${parentAt} AND c.seq > ${sinceAt} AND c.seq <= ${parameters.add(horizon)}
       AND c.kind <> ${ChangeKind.changed} AND ${was} <> ${is}
       AND (${lives} OR (c.kind <> ${ChangeKind.created} AND ${left})) LIMIT 1`,
    parameters.values,
  );
  return row !== undefined || haveParentsMoved(parent, since);
}
