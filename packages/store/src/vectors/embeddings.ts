/** The owner's choice of what compares texts by meaning, and the steps that bring the vectors up to date with it. */
import { ApiError } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { WriteTarget } from "../catalog/counters.ts";
import type { Database, SqlContext, WriteSql } from "../database.ts";
import type { EmbeddingChoice, EmbeddingStatus, Store } from "../store.ts";
import { embedStep } from "./embed-records.ts";
import { EmbedderError } from "./embedder.ts";
import { readChoice, readProgress, readThroughDoc, type StoredChoice, writeChoice } from "./embedders.ts";
import { requireEndpointAddress } from "./endpoint-address.ts";
import { probeEndpoint } from "./endpoint-embedder.ts";

const STEP_RECORDS = 64;
/** Longer than the requests of a step may take. */
const LEASE_MS = 150_000;
const LEASE = { kind: "embeddings", id: "worker" } as const;
/** How many rows of another model one transaction deletes. */
const DELETED_ROWS = 256;

export function createEmbeddings(target: WriteTarget, catalog: Catalog, now: () => Date) {
  const { database, embedders } = target;
  return {
    async chooseEmbeddings(owner_id, choice) {
      const owner = await catalog.requireOwner(owner_id);
      const stored = await verifyChoice(choice, now);
      await database.write(owner, async (sql) => {
        await writeChoice({ sql, owner }, stored);
        await writeFailure({ sql, owner }, undefined);
      });
      if (stored.kind === "off") while (await deleteOthers(database, owner, ""));
    },

    async describeEmbeddings(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.read(owner, async (sql) => {
        const choice = await readChoice({ sql, owner });
        const embedder = await embedders.find({ sql, owner });
        const through = embedder ? await readThroughDoc({ sql, owner }, embedder.id) : 0;
        const parts = await sql.all<{ part: number }>(
          "SELECT part FROM parts WHERE owner = $1 AND masks IS NULL",
          [owner],
        );
        // Two index ranges instead of a full scan: the second is short once most records are embedded.
        const { isAnyNumber } = sql.dialect;
        const [counts] = await sql.all<{ records: number; pending: number }>(
          `SELECT (SELECT count(*) FROM records r WHERE r.owner = $1 AND ${isAnyNumber("r.part", "$2")}) AS records,
           (SELECT count(*) FROM records r WHERE r.owner = $1 AND r.doc > $3 AND ${isAnyNumber("+r.part", "$2")}) AS pending`,
          [owner, parts.map(({ part }) => part), through],
        );
        const failure = await readFailure({ sql, owner });
        return {
          ...choice,
          ...(failure && { failure }),
          record_count: counts?.records ?? 0,
          embedded_count: (counts?.records ?? 0) - (counts?.pending ?? 0),
        };
      });
    },

    async embedNext(owner_id, worker, { limit = STEP_RECORDS, signal } = {}) {
      const owner = await catalog.requireOwner(owner_id);
      const embedder = await database.peek(owner, (sql) => embedders.find({ sql, owner }));
      if (!embedder) return { state: "off" };
      if (await database.peek(owner, (sql) => isComplete({ sql, owner }, embedder.id)))
        return (await deleteOthers(database, owner, embedder.id))
          ? { state: "progress", record_count: 0 }
          : { state: "complete" };
      if (!(await takeLease(database, owner, worker, now))) return { state: "busy" };
      let failure: string | undefined;
      try {
        const record_count = await embedStep(target, catalog, { owner, embedder, limit, signal });
        return record_count === undefined ? { state: "busy" } : { state: "progress", record_count };
      } catch (error) {
        if (!(error instanceof EmbedderError)) throw error;
        failure = error.message;
        throw new ApiError("embeddings_unavailable", { message: failure });
      } finally {
        const value = failure === undefined ? undefined : { message: failure, at: now().toISOString() };
        await database.write(owner, async (sql) => {
          await deleteState({ sql, owner }, LEASE, worker);
          await writeFailure({ sql, owner }, value);
        });
      }
    },
  } satisfies Partial<Store>;
}

/** Tries a service before choosing it, so that a wrong address or key fails at once. */
async function verifyChoice(choice: EmbeddingChoice, now: () => Date): Promise<StoredChoice> {
  if (choice.kind !== "endpoint") return { kind: choice.kind };
  const address = requireEndpointAddress(choice, now);
  try {
    return { kind: "endpoint", endpoint: await probeEndpoint(address) };
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    throw new ApiError("embeddings_unavailable", { message: error.message });
  }
}

async function isComplete(context: SqlContext, model: string): Promise<boolean> {
  const { through, last } = await readProgress(context, model);
  return through >= last;
}

/** Deletes some rows of models other than the one in use; false when none are left. */
async function deleteOthers(database: Database, owner: number, model: string): Promise<boolean> {
  const found = await database.peek(owner, (sql) =>
    sql.all("SELECT 1 AS found FROM embeddings WHERE owner = $1 AND model <> $2 LIMIT 1", [owner, model]),
  );
  if (found.length === 0) return false;
  return database.write(owner, async (sql) => {
    const others = `SELECT part, first_doc, number FROM vectors WHERE owner = $1 AND model <> $2`;
    const deleted = await sql.run(
      `DELETE FROM vectors WHERE owner = $1 AND (part, first_doc, number) IN (${others} LIMIT ${DELETED_ROWS})`,
      [owner, model],
    );
    if (deleted === 0)
      await sql.run("DELETE FROM embeddings WHERE owner = $1 AND model <> $2", [owner, model]);
    return true;
  });
}

const FAILURE = { kind: "embeddings", id: "failure" } as const;

type StateKey = typeof LEASE | typeof FAILURE;

async function readFailure({ sql, owner }: SqlContext): Promise<EmbeddingStatus["failure"]> {
  const [row] = await sql.all<{ value: string }>(
    "SELECT value FROM state WHERE owner = $1 AND kind = $2 AND id = $3",
    [owner, FAILURE.kind, FAILURE.id],
  );
  return row && JSON.parse(row.value);
}

async function writeFailure(context: SqlContext<WriteSql>, value: EmbeddingStatus["failure"]): Promise<void> {
  await deleteState(context, FAILURE);
  if (value) await putState(context, FAILURE, value);
}

/** Deletes a value of `state`, or only this one. */
async function deleteState(
  { sql, owner }: SqlContext<WriteSql>,
  { kind, id }: StateKey,
  value?: string,
): Promise<void> {
  const one = value === undefined ? "" : " AND value = $4";
  const parameters = [owner, kind, id, ...(value === undefined ? [] : [JSON.stringify(value)])];
  await sql.run(`DELETE FROM state WHERE owner = $1 AND kind = $2 AND id = $3${one}`, parameters);
}

async function putState(
  { sql, owner }: SqlContext<WriteSql>,
  { kind, id }: StateKey,
  value: unknown,
  expires_ms: number | null = null,
): Promise<void> {
  await sql.insert("state", [[owner, kind, id, null, JSON.stringify(value), expires_ms]]);
}

/** One process embeds at a time; the lease of a process that was killed expires. */
function takeLease(database: Database, owner: number, worker: string, now: () => Date): Promise<boolean> {
  const now_ms = now().getTime();
  const { kind, id } = LEASE;
  return database.write(owner, async (sql) => {
    const [held] = await sql.all<{ value: string; expires_ms: number }>(
      "SELECT value, expires_ms FROM state WHERE owner = $1 AND kind = $2 AND id = $3",
      [owner, kind, id],
    );
    if (held && held.expires_ms > now_ms && held.value !== JSON.stringify(worker)) return false;
    await deleteState({ sql, owner }, LEASE);
    await putState({ sql, owner }, LEASE, worker, now_ms + LEASE_MS);
    return true;
  });
}
