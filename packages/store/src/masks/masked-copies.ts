/**
 * Keeps a masked copy of every stream that a grant masks: a partition with its own rows, index and vectors, so that a read under
 * the grant reads masked text as any other text (docs/decisions/masking.md). Writes go to complete copies in the same transaction;
 * a copy that is not complete takes the records in order of their documents, a few at a time.
 */
import { type Grant, parseTimeMs, type StreamMasks } from "@rungs/contract";
import { countChars } from "@rungs/evidence";
import type { Catalog, MaskedCopy } from "../catalog/catalog.ts";
import { type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import { numberFields } from "../catalog/field-numbers.ts";
import { formatMasks } from "../catalog/scoped-partition.ts";
import type { SqlContext, SqlRow } from "../database.ts";
import { parseMarks, RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import { shapeRow } from "../rows/row-shape.ts";
import type { Store } from "../store.ts";
import { readWhole } from "../upkeep/rebuild.ts";
import { dropSomeRecords } from "../write/drop-partition.ts";
import { RecordWriter, readConsentTime } from "../write/record-writer.ts";
import { createMaskSecret, MASK_SECRET, openMasker, type StreamMasker } from "./stream-masker.ts";

/** One transaction copies at most this many records, and ends after the record that brings it to this many characters. */
const STEP_RECORDS = 200;
const STEP_CHARS = 4_000_000;

/** A stream that some grant masks, and how. */
interface NeededCopy {
  readonly connection_id: string;
  readonly stream: string;
  readonly masks: StreamMasks;
}

export function createMaskedCopies(
  target: WriteTarget,
  catalog: Catalog,
  { now, getSecret }: { now: () => Date; getSecret: Store["getSecret"] },
) {
  return {
    async copyMasked(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const { needed, plan } = await target.database.peek(owner, async (sql) => {
        const found = await listNeeded({ sql, owner }, now().getTime());
        return { needed: found, plan: await planStep({ sql, owner }, found) };
      });
      if (plan === undefined) return { state: "complete" };
      await getSecret(MASK_SECRET, createMaskSecret);
      const copied = await withCounters(target, owner, async (context) => {
        const step = await planStep(context, needed);
        if (step?.kind === "drop")
          await dropSomeRecords(context, "owner = $1 AND part = $2", [owner, step.part]);
        if (step?.kind === "create") await createCopy(context, catalog, step.copy);
        return step?.kind === "fill" ? await fillCopy(context, catalog, step.part) : 0;
      });
      return { state: "progress", record_count: copied };
    },
  } satisfies Partial<Store>;
}

/** What the grants that have not ended mask. */
async function listNeeded({ sql, owner }: SqlContext, now_ms: number): Promise<NeededCopy[]> {
  const rows = await sql.all<{ body: string }>(
    "SELECT body FROM grants WHERE owner = $1 AND revoked_at IS NULL",
    [owner],
  );
  return rows
    .map(({ body }) => JSON.parse(body) as Grant)
    .filter(({ expires_at }) => expires_at === undefined || (parseTimeMs(expires_at) ?? 0) > now_ms)
    .flatMap(({ authorization_details }) => authorization_details.flatMap(({ streams }) => streams))
    .flatMap(({ name, instance_ids, masks }) =>
      masks ? instance_ids.map((connection_id) => ({ connection_id, stream: name, masks })) : [],
    );
}

interface PartRow extends SqlRow {
  part: number;
  connection_id: string;
  stream: string;
  masks: string | null;
  copied_doc: number | null;
}

type Step =
  | { readonly kind: "create"; readonly copy: NeededCopy }
  | { readonly kind: "fill" | "drop"; readonly part: number };

/** The next thing to do: create a missing copy, fill one, or drop one that no grant needs. */
async function planStep(
  { sql, owner }: SqlContext,
  needed: readonly NeededCopy[],
): Promise<Step | undefined> {
  const parts = await sql.all<PartRow>(
    "SELECT part, connection_id, stream, masks, copied_doc FROM parts WHERE owner = $1 ORDER BY part",
    [owner],
  );
  const has = (copy: NeededCopy, masks: string | null) =>
    parts.some(
      (part) =>
        part.connection_id === copy.connection_id && part.stream === copy.stream && part.masks === masks,
    );
  const missing = needed.find((copy) => has(copy, null) && !has(copy, formatMasks(copy.masks)));
  if (missing) return { kind: "create", copy: missing };
  const isNeeded = (part: PartRow) =>
    needed.some(
      ({ connection_id, stream, masks }) =>
        part.connection_id === connection_id && part.stream === stream && part.masks === formatMasks(masks),
    );
  const copies = parts.filter(({ masks }) => masks !== null);
  const unfinished = copies.find((part) => part.copied_doc !== null && isNeeded(part));
  if (unfinished) return { kind: "fill", part: unfinished.part };
  const unneeded = copies.find((part) => !isNeeded(part));
  return unneeded && { kind: "drop", part: unneeded.part };
}

async function createCopy(
  context: WriteContext,
  catalog: Catalog,
  { connection_id, stream, masks }: NeededCopy,
): Promise<void> {
  const base = await catalog.openWritablePartition(context, connection_id, stream);
  if (base) await numberFields(context, connection_id, base.shape, formatMasks(masks));
}

/** Copies the next records of a partition, or notes that all are there; returns how many were copied. */
async function fillCopy(context: WriteContext, catalog: Catalog, part: number): Promise<number> {
  const { sql, owner } = context;
  const [row] = await sql.all<PartRow>(
    "SELECT part, connection_id, stream, masks, copied_doc FROM parts WHERE owner = $1 AND part = $2",
    [owner, part],
  );
  const base = row && (await catalog.openWritablePartition(context, row.connection_id, row.stream));
  const copy = base?.copies.find(({ id }) => id === part);
  const after = copy?.copied_doc ?? null;
  if (!base || !copy || after === null) return 0;
  const rows = await sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r WHERE r.owner = $1 AND +r.part = $2 AND r.doc > $3 ORDER BY r.doc LIMIT ${STEP_RECORDS}`,
    [owner, base.id, after],
  );
  const masker = await openMasker(context, catalog, copy);
  const writer = new RecordWriter(context);
  let copied = 0;
  let chars = 0;
  for (const each of rows) {
    chars += await copyRecord({ context, writer, masker, base_id: base.id, copy }, each);
    copied += 1;
    if (chars >= STEP_CHARS) break;
  }
  if (rows.length === 0) await copyTombstones({ context, writer, masker, base_id: base.id, copy });
  await writer.finish();
  const last = rows[copied - 1];
  await sql.run("UPDATE parts SET copied_doc = $3 WHERE owner = $1 AND part = $2", [
    owner,
    part,
    last ? last.doc : null,
  ]);
  // Cached facts are valid up to the next change number.
  context.counters.next_seq += 1;
  return copied;
}

interface Copying {
  readonly context: WriteContext;
  readonly writer: RecordWriter;
  readonly masker: StreamMasker;
  readonly base_id: number;
  readonly copy: MaskedCopy;
}

/** Copies a record with its changes; returns its size. A version that was copied before is replaced. */
async function copyRecord(
  { context, writer, masker, base_id, copy }: Copying,
  row: RecordRow,
): Promise<number> {
  const { sql, owner } = context;
  const original = await readWhole(context, row);
  const data = masker.maskData(original);
  const record_id = masker.maskKey(row.record_id);
  await writer.flush();
  const [old] = await sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r WHERE r.owner = $1 AND r.part = $2 AND r.record_id = $3`,
    [owner, copy.id, record_id],
  );
  if (old) await writer.erase(copy, old);
  await sql.run("DELETE FROM changes WHERE owner = $1 AND part = $2 AND record_id = $3", [
    owner,
    copy.id,
    record_id,
  ]);
  const changes = await sql.all<ChangedRow>(
    `SELECT ${CHANGE_COLUMNS} FROM changes c WHERE c.owner = $1 AND c.part = $2 AND c.record_id = $3 ORDER BY c.seq`,
    [owner, base_id, row.record_id],
  );
  for (const change of changes) await addChange(writer, copy.id, { ...change, record_id });
  const shaped = shapeRow(copy.shape, data);
  await writer.write(copy, {
    record_id,
    data,
    shaped,
    marks: parseMarks(row),
    time_ms: readConsentTime(copy, data),
    compared: original,
  });
  return shaped.data.length + shaped.texts.reduce((sum, { text }) => sum + countChars(text), 0);
}

const CHANGE_COLUMNS = "c.seq, c.record_id, c.kind, c.fields, c.old_time_ms, c.emitted_at, c.changed_at";

interface ChangedRow extends SqlRow {
  seq: number;
  record_id: string;
}

async function addChange(writer: RecordWriter, part: number, change: ChangedRow): Promise<void> {
  const { seq, record_id, kind, fields, old_time_ms, emitted_at, changed_at } = change;
  const cells = [kind, fields, old_time_ms, emitted_at, changed_at].map((cell) => cell ?? null);
  await writer.add("changes", [writer.owner, part, seq, record_id, ...cells]);
}

/** Copies the tombstones of records that were deleted before the copy had them. */
async function copyTombstones({ context, writer, masker, base_id, copy }: Copying): Promise<void> {
  const { sql, owner } = context;
  const gone =
    "NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = c.owner AND r.part = c.part AND r.record_id = c.record_id)";
  const known = await sql.all<{ record_id: string }>(
    `SELECT DISTINCT c.record_id FROM changes c WHERE c.owner = $1 AND c.part = $2 AND ${gone}`,
    [owner, copy.id],
  );
  const copied = new Set(known.map(({ record_id }) => record_id));
  const changes = await sql.all<ChangedRow>(
    `SELECT ${CHANGE_COLUMNS} FROM changes c WHERE c.owner = $1 AND c.part = $2 AND ${gone} ORDER BY c.seq`,
    [owner, base_id],
  );
  for (const change of changes) {
    const record_id = masker.maskKey(change.record_id);
    if (!copied.has(record_id)) await addChange(writer, copy.id, { ...change, record_id });
  }
}
