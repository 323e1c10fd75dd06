/** Reads a source once, under a lease, and logs the run (R76). */
import { join } from "node:path";
import { ApiError, describeRefusal, type ImportedRecord, ownerScope } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { createExtractor } from "@rungs/importers";
import type { StoredSync, SyncItem } from "@rungs/store";
import type { ItemChoice, PlanExports, SourceAccess, SourceTask } from "../live-source.ts";
import { requireSource } from "../live-sources.ts";
import type { SecretKeeper } from "../secrets/secret-keeper.ts";
import { ensureConnection } from "./ensure-connection.ts";
import { type HeldLease, holdLease } from "./lease.ts";
import { askOwner } from "./questions.ts";
import { type RunRecorder, recordRun } from "./record-run.ts";
import { planNext, planRetry } from "./schedule.ts";
import { type ChangeTarget, storeChanges } from "./store-changes.ts";
import type { SyncOwner } from "./sync-owner.ts";
import type { SyncRun } from "./sync-run.ts";

/** Who runs syncs, and what opens their secrets. */
export interface SyncContext extends SyncOwner {
  readonly secrets: SecretKeeper;
  /** Where each sync has its folder, by its id. */
  readonly work_folder: string;
  /** Imports exports among the files of a source; by default, none are imported. */
  readonly planExports?: PlanExports | undefined;
}

/** Options of one run. */
export interface RunOptions {
  /** Ends the run after its batch. */
  readonly signal?: AbortSignal | undefined;
  /** The most changes in one transaction; tests make it small. */
  readonly batch_changes?: number | undefined;
  /** Called about every second, and at the end. */
  readonly onProgress?: ((run: SyncRun) => void) | undefined;
}

const ITEM_PAGE = 1_000;

/** Runs a sync once. Throws `sync_busy` while another process runs it; the returned run holds any other failure. */
export async function runSync(
  context: SyncContext,
  sync_id: string,
  { signal, batch_changes, onProgress }: RunOptions = {},
): Promise<SyncRun> {
  const sync = await requireSync(context, sync_id);
  const lease = await holdLease(context, sync, signal);
  try {
    const recorder = await recordRun(context, sync_id, onProgress);
    const failure_count = sync.failure_count + 1;
    try {
      // Scheduled as a failure until it ends well: a run that crashes its process must not start again at once.
      const retry_ms = planRetry("", failure_count, { now_ms: context.now() });
      await context.store.changeSync(context.owner_id, sync_id, { due_ms: retry_ms, failure_count });
      await readSource(context, sync, { lease, recorder, batch_changes });
      if (lease.signal.aborted) return await stop(context, sync, recorder);
      const next_ms = planNext(sync.schedule, context.now());
      await context.store.changeSync(context.owner_id, sync_id, { due_ms: next_ms, failure_count: 0 });
      return await recorder.end({ state: "done", next_ms });
    } catch (error) {
      const { code, message, next } = describeRefusal(explainDisk(error)).body.error;
      if (code === "sync_busy") throw error;
      if (lease.signal.aborted) return await stop(context, sync, recorder);
      const asked_ms = readAskedPause(error);
      const next_ms = planRetry(code, failure_count, { now_ms: context.now(), asked_ms });
      await context.store
        .changeSync(context.owner_id, sync_id, { due_ms: next_ms, failure_count })
        .catch(() => undefined);
      return await recorder.end({ state: "failed", failure: { code, message, next }, next_ms });
    }
  } finally {
    await lease.release();
  }
}

/** What a source needs to open a stored sync. */
export async function openAccess(
  context: SyncContext,
  { sync_id, settings, secret }: StoredSync,
): Promise<SourceAccess> {
  const { secrets, store, owner_id } = context;
  return {
    settings,
    secret: secret === undefined ? undefined : await secrets.open(secret, sync_id),
    async saveSecret(next) {
      await store.changeSync(owner_id, sync_id, { secret: await secrets.seal(next, sync_id) });
    },
    work_folder: findWorkFolder(context, sync_id),
  };
}

/** The folder of a sync. */
export function findWorkFolder({ work_folder }: Pick<SyncContext, "work_folder">, sync_id: string): string {
  return join(work_folder, sync_id);
}

/** A stopped run keeps its place in the schedule. */
async function stop(context: SyncContext, sync: StoredSync, recorder: RunRecorder): Promise<SyncRun> {
  const { sync_id, due_ms, failure_count } = sync;
  await context.store.changeSync(context.owner_id, sync_id, { due_ms, failure_count }).catch(() => undefined);
  return recorder.end({ state: "stopped", next_ms: due_ms });
}

/** Finds a sync by its id; throws `not_found`. */
export async function requireSync({ store, owner_id }: SyncOwner, sync_id: string): Promise<StoredSync> {
  const sync = (await store.listSyncs(owner_id)).find((each) => each.sync_id === sync_id);
  if (sync) return sync;
  throw new ApiError("not_found", {
    param: "sync_id",
    message: `There is no sync ${sync_id}.`,
    next: "rungs sync list shows them; rungs sync add adds one.",
  });
}

interface RunParts {
  readonly lease: HeldLease;
  readonly recorder: RunRecorder;
  readonly batch_changes: number | undefined;
}

async function readSource(
  context: SyncContext,
  sync: StoredSync,
  { lease, recorder, batch_changes }: RunParts,
): Promise<void> {
  const { store, owner_id } = context;
  const { sync_id, connection_id, keeps_deleted } = sync;
  const source = requireSource(sync.kind);
  await ensureConnection(context, sync, source);
  const scope = ownerScope(owner_id, [{ connection_id, manifest: source.declare(sync.settings) }]);
  const extractor = createExtractor();
  const task: SourceTask = {
    ...(await openAccess(context, sync)),
    signal: lease.signal,
    cursors: await store.listSyncCursors(owner_id, sync_id),
    listItems: (collection, some = { after: "" }) => listItems(context, sync_id, collection, some),
    countItems: (collection, before) => store.countSyncItems(owner_id, sync_id, collection, before),
    report: recorder.report,
    note: recorder.note,
    ask: (question) => askOwner({ context, sync_id, recorder, signal: lease.signal }, question),
    planExports: context.planExports,
    putBlob: async (bytes, mime_type) => ({
      ...(await store.putBlob(owner_id, connection_id, bytes, mime_type)),
    }),
    extractText: extractor.extract,
  };
  const target: ChangeTarget = {
    owner: context,
    lease: lease.lease,
    connection_id,
    source,
    keeps_deleted,
    batch_changes,
    async readRecord(stream, record_id): Promise<ImportedRecord["data"] | undefined> {
      const ref = { connection_id, stream, record_id };
      const record = await store.getRecord(scope, ref, undefined, WHOLE);
      return record?.data;
    },
    onBatch: recorder.count,
  };
  try {
    await storeChanges(source.read(task), target);
  } finally {
    await extractor.close();
  }
  if (recorder.isLarge()) await store.tidy(owner_id);
}

/** A record is never larger. */
const WHOLE = { value_chars: 2 ** 31, record_chars: 2 ** 31 };

async function* listItems(
  { store, owner_id }: SyncOwner,
  sync_id: string,
  collection: string,
  some: ItemChoice,
): AsyncGenerator<SyncItem> {
  if ("items" in some) {
    for (let at = 0; at < some.items.length; at += ITEM_PAGE) {
      const query = { collection, items: some.items.slice(at, at + ITEM_PAGE) };
      yield* await store.listSyncItems(owner_id, sync_id, query);
    }
    return;
  }
  for (let { after } = some; ; ) {
    const page = await store.listSyncItems(owner_id, sync_id, { collection, after, limit: ITEM_PAGE });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < ITEM_PAGE) return;
    after = last.item;
  }
}

/** The source's `Retry-After`; 0 if it sent none. */
function readAskedPause(error: unknown): number {
  const asked = error instanceof CodedError ? error.details.retry_after_ms : undefined;
  return typeof asked === "number" ? asked : 0;
}

/** SQLITE_FULL (https://sqlite.org/rescode.html), ENOSPC, and PostgreSQL's disk_full. */
function explainDisk(error: unknown): unknown {
  const { errcode = 0, code } = (error ?? {}) as { errcode?: number; code?: unknown };
  if ((errcode & 0xff) !== 13 && code !== "ENOSPC" && code !== "53100") return error;
  return new ApiError("database_unavailable", {
    message: "The disk is full.",
    next: "Make room; the next run continues where this one stopped.",
  });
}
