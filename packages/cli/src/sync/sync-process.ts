/** The process that runs syncs beside a server: parsing mail, or a hostile mail server, must not slow down what is served. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Store } from "@rungs/store";

const LOOK_MS = 2_000;
/** How long to wait before it is started again after it ended. */
const RESTART_MS = 5_000;
/** How long it may take to end its batch. */
const GRACE_MS = 5_000;

/** What the process needs to find the same database. */
export type SyncEnvironment = Readonly<Record<string, string | undefined>>;

/** Keeps the process running while there is something to sync. Returns what ends it. */
export function keepSyncProcess(store: Store, env: SyncEnvironment): () => Promise<void> {
  let child: ChildProcess | undefined;
  let ended_ms = 0;
  const look = async () => {
    if (child || Date.now() - ended_ms < RESTART_MS) return;
    if ((await store.listSyncingOwners()).length === 0 || child) return;
    child = startProcess(env);
    child.once("exit", () => {
      child = undefined;
      ended_ms = Date.now();
    });
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return async () => {
    clearInterval(timer);
    if (!child) return;
    const running = child;
    const exit = once(running, "exit");
    running.kill("SIGTERM");
    const late = setTimeout(() => running.kill("SIGKILL"), GRACE_MS);
    await exit;
    clearTimeout(late);
  };
}

function startProcess(env: SyncEnvironment): ChildProcess {
  const program = process.argv[1] ?? "";
  return spawn(process.execPath, [...process.execArgv, program, "sync", "watch"], {
    // The channel closes when this process ends, however it does.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
}
