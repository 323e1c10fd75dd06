/** Compares stored records with the owner's rules by pattern: each record that matches gets the rule's tag, and so do its masked copies (R81). */
import type { Exclusion } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { WriteTarget } from "../catalog/counters.ts";
import type { Sql, SqlContext, SqlRow, WriteSql } from "../database.ts";
import { openMasker, type StreamMasker } from "../masks/stream-masker.ts";
import { createRecordTest, encodeTag, type RecordTest, TAG_FIELD } from "../rows/pattern-tags.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { Store, StoredRef } from "../store.ts";
import { moveChanges } from "./access-copy.ts";
import { foldPartition, listUnfoldedOf } from "./fold-values.ts";
import { readWhole } from "./rebuild.ts";

/** One step compares at most this many records, and ends after the record that brings it to this many characters, or after this time. */
const STEP_RECORDS = 500;
const STEP_CHARS = 4_000_000;
const STEP_MS = 100;
/** Above every document number. */
const LAST_DOC = Number.MAX_SAFE_INTEGER;

export function createTagging(target: WriteTarget, catalog: Catalog) {
  const { database } = target;
  return {
    async tagMatching(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const { unfolded, isLeft } = await database.peek(owner, async (sql) => ({
        unfolded: await listUnfoldedOf({ sql, owner }),
        isLeft: await findUnfinished({ sql, owner }),
      }));
      // A server of the last version added a stream after this one had started.
      for (const place of unfolded) await foldPartition(target, catalog, place);
      if (!isLeft) return { state: "complete" };
      return database.write(owner, async (sql) => {
        const rule = await findUnfinished({ sql, owner });
        return { state: "progress", record_count: rule ? await tagSome({ sql, owner }, catalog, rule) : 0 };
      });
    },

    async findMatching(owner_id, hides, before = LAST_DOC) {
      if (hides.kind !== "pattern") return { matching: [], record_count: 0 };
      const owner = await catalog.requireOwner(owner_id);
      return database.read(owner, async (sql) => {
        const { matching, compared, last_doc } = await compareSome(
          { sql, owner },
          createRecordTest(hides),
          "r.doc < $2 ORDER BY r.doc DESC",
          before,
        );
        const refs = matching.map(({ connection_id, stream, record_id }) => ({
          connection_id,
          stream,
          record_id,
        }));
        return { matching: refs, record_count: compared, before: last_doc };
      });
    },
  } satisfies Partial<Store>;
}

interface Unfinished {
  readonly exclusion: Exclusion;
  /** The document up to which records were compared. */
  readonly tagged_doc: number;
}

async function findUnfinished({ sql, owner }: SqlContext): Promise<Unfinished | undefined> {
  const [row] = await sql.all<{ body: string; tagged_doc: number }>(
    "SELECT body, tagged_doc FROM exclusions WHERE owner = $1 AND tagged_doc IS NOT NULL ORDER BY rule_id LIMIT 1",
    [owner],
  );
  return row && { exclusion: JSON.parse(row.body) as Exclusion, tagged_doc: row.tagged_doc };
}

/** Compares the next records, or notes that all were; returns how many. */
async function tagSome(
  context: SqlContext<WriteSql>,
  catalog: Catalog,
  { exclusion: { rule_id, hides }, tagged_doc }: Unfinished,
): Promise<number> {
  const { sql, owner } = context;
  const finish = (through: number | null) =>
    sql.run("UPDATE exclusions SET tagged_doc = $3 WHERE owner = $1 AND rule_id = $2", [
      owner,
      rule_id,
      through,
    ]);
  if (hides.kind !== "pattern") return finish(null);
  const test = createRecordTest(hides);
  const { matching, compared, last_doc } = await compareSome(
    context,
    test,
    "r.doc > $2 ORDER BY r.doc",
    tagged_doc,
  );
  const copies = new CopyFinder(context, catalog);
  const tagged = [];
  for (const found of matching) tagged.push(found, ...(await copies.list(found)));
  const docs = tagged.map(({ doc }) => doc);
  const tag = encodeTag(rule_id);
  // Records written since the rule was added are already tagged.
  await sql.run(
    `DELETE FROM items${sql.dialect.useIndex("items_by_doc")} WHERE owner = $1 AND ${sql.dialect.isAnyNumber("doc", "$2")} AND +field = ${TAG_FIELD} AND value = $3`,
    [owner, docs, tag],
  );
  await sql.insert(
    "items",
    tagged.map(({ part, doc }) => [owner, part, TAG_FIELD, tag, doc]),
  );
  await finish(last_doc ?? null);
  if (last_doc === undefined) await moveChanges(sql, owner, 1);
  return compared;
}

interface Matching extends StoredRef {
  readonly part: number;
  readonly doc: number;
}

/** The records of a step that match; `last_doc` is undefined when no record was left. Masked copies are not compared: they match where their records do. */
async function compareSome(
  context: SqlContext,
  test: RecordTest,
  rest: string,
  from: number,
): Promise<{ matching: Matching[]; compared: number; last_doc: number | undefined }> {
  const { sql, owner } = context;
  const rows = await sql.all<RecordRow & { part: number }>(
    `SELECT ${RECORD_COLUMNS}, r.part FROM records r WHERE r.owner = $1 AND ${rest} LIMIT ${STEP_RECORDS}`,
    [owner, from],
  );
  const places = await listPlaces(sql, owner);
  const matching: Matching[] = [];
  let chars = 0;
  let compared = 0;
  let last_doc: number | undefined;
  const began_ms = performance.now();
  for (const row of rows) {
    const { doc, part, record_id } = row;
    last_doc = doc;
    const place = places.get(part);
    if (!place) continue;
    compared += 1;
    const data = row.cuts === "[]" ? JSON.parse(row.data) : await readWhole(context, row);
    if (test(place, data)) matching.push({ ...place, part, doc, record_id });
    chars += row.cuts === "[]" ? row.data.length : JSON.stringify(data).length;
    // An expression may be slow, and the owner's lock is held.
    if (chars >= STEP_CHARS || performance.now() - began_ms >= STEP_MS) break;
  }
  return { matching, compared, last_doc };
}

interface PartRow extends SqlRow {
  part: number;
  connection_id: string;
  stream: string;
}

async function listPlaces(sql: Sql, owner: number): Promise<Map<number, PartRow>> {
  const rows = await sql.all<PartRow>(
    "SELECT part, connection_id, stream FROM parts WHERE owner = $1 AND masks IS NULL",
    [owner],
  );
  return new Map(rows.map((row) => [row.part, row]));
}

/** Finds the masked copies of records. */
class CopyFinder {
  readonly #context: SqlContext;
  readonly #catalog: Catalog;
  readonly #maskers = new Map<number, Promise<{ part: number; masker: StreamMasker }[]>>();

  constructor(context: SqlContext, catalog: Catalog) {
    this.#context = context;
    this.#catalog = catalog;
  }

  async list({ part, connection_id, stream, record_id }: Matching): Promise<{ part: number; doc: number }[]> {
    const opened = this.#maskers.get(part) ?? this.#open(connection_id, stream);
    this.#maskers.set(part, opened);
    const { sql, owner } = this.#context;
    const found = [];
    for (const copy of await opened)
      found.push(
        ...(await sql.all<{ part: number; doc: number }>(
          "SELECT part, doc FROM records WHERE owner = $1 AND part = $2 AND record_id = $3",
          [owner, copy.part, copy.masker.maskKey(record_id)],
        )),
      );
    return found;
  }

  async #open(connection_id: string, stream: string): Promise<{ part: number; masker: StreamMasker }[]> {
    const copies = await this.#catalog.listCopies(this.#context, connection_id, stream);
    const opened = [];
    for (const copy of copies)
      opened.push({ part: copy.id, masker: await openMasker(this.#context, this.#catalog, copy) });
    return opened;
  }
}
