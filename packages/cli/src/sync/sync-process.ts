/** The process that runs syncs beside a server: parsing mail, or a hostile mail server, must not slow down what is served. */
import type { Store } from "@rungs/store";
import { type CommandEnvironment, type StartedCommand, startCommand } from "../command/start-command.ts";

const LOOK_MS = 2_000;
/** How long to wait before restarting it. */
const RESTART_MS = 5_000;
/** How long it may take to finish its batch. */
const GRACE_MS = 5_000;

/** Keeps the process running while there is something to sync. Returns the function that stops it. */
export function keepSyncProcess(store: Store, env: CommandEnvironment): () => Promise<void> {
  let child: StartedCommand | undefined;
  let ended_ms = 0;
  const look = async () => {
    if (child || Date.now() - ended_ms < RESTART_MS) return;
    if ((await store.listSyncingOwners()).length === 0 || child) return;
    child = startCommand(["sync", "watch"], env);
    void child.ended.then(() => {
      child = undefined;
      ended_ms = Date.now();
    });
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return async () => {
    clearInterval(timer);
    if (!child) return;
    const { process, ended } = child;
    process.kill("SIGTERM");
    const late = setTimeout(() => process.kill("SIGKILL"), GRACE_MS);
    await ended;
    clearTimeout(late);
  };
}
