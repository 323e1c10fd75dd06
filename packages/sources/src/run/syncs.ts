/** What the owner does with syncs: add, list, pause, resume, run soon, remove. */
import { rm } from "node:fs/promises";
import { ApiError } from "@rungs/contract";
import { connectionIdSchema } from "@rungs/evidence";
import type { StoredSync, SyncSchedule } from "@rungs/store";
import type { LiveSource, SourceAccount, SourceSettings } from "../live-source.ts";
import { requireSource } from "../live-sources.ts";
import { ensureConnection } from "./ensure-connection.ts";
import { findWorkFolder, requireSync, type SyncContext } from "./run-sync.ts";
import { requireSchedule } from "./schedule.ts";
import type { SyncOwner } from "./sync-owner.ts";
import { listRuns, type SyncRun } from "./sync-run.ts";

/** A sync that the owner asks for. */
export interface SyncRequest {
  readonly kind: string;
  readonly settings: SourceSettings;
  readonly secret: string | undefined;
  /** Chosen by the account by default. */
  readonly sync_id?: string | undefined;
  /** An existing connection of the same kind of data, or a new one; by default, named like the sync. */
  readonly connection_id?: string | undefined;
  readonly schedule?: SyncSchedule | undefined;
  readonly keeps_deleted?: boolean | undefined;
}

/** A sync for the owner to see, without its secret. */
export interface SyncSummary extends Omit<StoredSync, "secret">, SourceAccount {
  readonly last_run?: SyncRun | undefined;
}

const EVERY_15_MINUTES: SyncSchedule = { kind: "every", minutes: 15 };
const NAME_MAX_CHARS = 48;
/** How long trying the sign-in may take. */
const TRY_MS = 60_000;

/** Adds a sync after signing in to its source once. The first run is due at once. */
export async function addSync(context: SyncContext, request: SyncRequest): Promise<SyncSummary> {
  const { store, owner_id, secrets } = context;
  const { kind, secret, keeps_deleted = false } = request;
  const source = requireSource(kind);
  const settings = source.requireSettings(request.settings);
  const schedule = requireSchedule(request.schedule ?? EVERY_15_MINUTES);
  const sync_id = request.sync_id ?? nameSync(kind, source.describe(settings));
  const connection_id = request.connection_id ?? sync_id;
  requireId("sync_id", sync_id);
  requireId("connection_id", connection_id);
  if ((await store.listSyncs(owner_id)).some((each) => each.sync_id === sync_id)) throw refuseName(sync_id);
  const tried = await trySignIn(context, source, { sync_id, settings, secret });
  const sealed = tried === undefined ? undefined : await secrets.seal(tried, sync_id);
  const input = { sync_id, connection_id, kind, settings, schedule, keeps_deleted, secret: sealed };
  await ensureConnection(context, input, source);
  if (!(await store.addSync(owner_id, input))) throw refuseName(sync_id);
  return summarize(context, await requireSync(context, sync_id));
}

/** Lists the syncs with their last runs. */
export async function listSyncs(owner: SyncOwner): Promise<SyncSummary[]> {
  const syncs = await owner.store.listSyncs(owner.owner_id);
  return Promise.all(syncs.map((sync) => summarize(owner, sync)));
}

/** Pauses or resumes a sync. A run in progress ends after its batch. */
export async function pauseSync(owner: SyncOwner, sync_id: string, is_paused: boolean): Promise<void> {
  await requireSync(owner, sync_id);
  await owner.store.changeSync(owner.owner_id, sync_id, { is_paused });
}

/** Makes a sync due: the process that runs syncs begins within seconds. */
export async function runSoon(owner: SyncOwner, sync_id: string): Promise<void> {
  await requireSync(owner, sync_id);
  await owner.store.changeSync(owner.owner_id, sync_id, { due_ms: 0 });
}

/** Forgets a sync, its secret, its log and its folder. The records stay in their connection. */
export async function removeSync(context: SyncContext, sync_id: string): Promise<void> {
  await requireSync(context, sync_id);
  await context.store.deleteSync(context.owner_id, sync_id);
  await rm(findWorkFolder(context, sync_id), { recursive: true, force: true });
}

/** Replaces the secret of a sync after trying it, and makes the sync due. */
export async function changeSecret(context: SyncContext, sync_id: string, secret: string): Promise<void> {
  const { kind, settings } = await requireSync(context, sync_id);
  const tried = await trySignIn(context, requireSource(kind), { sync_id, settings, secret });
  const sealed = await context.secrets.seal(tried ?? secret, sync_id);
  const change = { secret: sealed, due_ms: 0, failure_count: 0 };
  await context.store.changeSync(context.owner_id, sync_id, change);
}

/** Signs in once; returns the secret, which signing in may renew. */
async function trySignIn(
  context: SyncContext,
  source: LiveSource,
  {
    sync_id,
    settings,
    secret,
  }: {
    readonly sync_id: string;
    readonly settings: SourceSettings;
    readonly secret: string | undefined;
  },
): Promise<string | undefined> {
  let renewed = secret;
  const saveSecret = async (next: string) => {
    renewed = next;
  };
  const access = { settings, secret, saveSecret, work_folder: findWorkFolder(context, sync_id) };
  await source.check?.(access, AbortSignal.timeout(TRY_MS));
  return renewed;
}

async function summarize(owner: SyncOwner, { secret: _, ...sync }: StoredSync): Promise<SyncSummary> {
  const [last_run] = await listRuns(owner, sync.sync_id, 1);
  return { ...sync, ...requireSource(sync.kind).describe(sync.settings), last_run };
}

function nameSync(kind: string, { account }: SourceAccount): string {
  const plain = account
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, NAME_MAX_CHARS)
    .replaceAll(/^-|-$/g, "");
  return `${kind}-${plain || "account"}`;
}

function requireId(param: string, id: string): void {
  if (connectionIdSchema.safeParse(id).success) return;
  throw new ApiError("invalid_request", {
    param,
    message: `${param} has at most 128 letters, digits or ._~-.`,
  });
}

function refuseName(sync_id: string): ApiError {
  return new ApiError("invalid_request", {
    param: "sync_id",
    message: `There is a sync ${sync_id} already.`,
    next: "Choose another name (--id on the command line), or remove the other one.",
  });
}
