/** The right of this process to write for a sync, renewed while it runs. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { ApiError } from "@rungs/contract";
import type { StoredSync, SyncLease } from "@rungs/store";
import type { SyncOwner } from "./sync-owner.ts";

/** How long a lease lasts without a heartbeat, and how often it is renewed. */
const LEASE_MS = 90_000;
const RENEW_MS = 5_000;

/** A lease that this process holds. */
export interface HeldLease {
  readonly lease: SyncLease;
  /** Aborts when the run must end: the caller asked, the owner paused or removed the sync, or the lease was lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

/** Takes the lease of a sync; throws `sync_busy` while another process has it. */
export async function holdLease(
  owner: SyncOwner,
  { sync_id, lease: earlier, is_paused: wasPaused }: StoredSync,
  signal: AbortSignal | undefined,
): Promise<HeldLease> {
  const { store, owner_id } = owner;
  const gone = earlier && isGone(earlier.holder) ? earlier.holder : undefined;
  const holder = [hostname(), process.pid, randomBytes(6).toString("base64url")].join("/");
  const lease = { sync_id, holder, gone };
  const take = () => store.leaseSync(owner_id, lease, owner.now() + LEASE_MS);
  if (!(await take())) throw new ApiError("sync_busy");
  const end = new AbortController();
  const check = async () => {
    const now = (await store.listSyncs(owner_id)).find((each) => each.sync_id === sync_id);
    // A sync that was paused before may be run by hand.
    if (!now || (now.is_paused && !wasPaused) || !(await take())) end.abort();
  };
  const timer = setInterval(() => void check().catch(() => undefined), RENEW_MS);
  return {
    lease,
    signal: signal ? AbortSignal.any([signal, end.signal]) : end.signal,
    async release() {
      clearInterval(timer);
      await store.releaseSync(owner_id, lease).catch(() => undefined);
    },
  };
}

/** Whether the holder was a process of this machine that has ended. */
function isGone(holder: string): boolean {
  const [host, pid] = holder.split("/");
  if (host !== hostname() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === "ESRCH";
  }
}
