/**
 * Preloaded into test processes. `node:test` follows every promise with an async hook, to find the suite or test behind a call;
 * that takes a sixth of the CPU time of tests that send requests. Only a group needs tracking, while it loads its
 * files, and a file with hooks in suites, which may run by name. Without
 * the hook an uncaught exception fails its file instead of its test, and its stack is printed here.
 */
import async_hooks, { type AsyncHook } from "node:async_hooks";
import { isGroup } from "./group.ts";

const { createHook } = async_hooks;
let hook: AsyncHook | undefined;

async_hooks.createHook = (callbacks) => {
  if (!String(callbacks.init).includes("testResources")) return createHook(callbacks);
  const isNeeded = isGroup(process.argv[1] ?? "") || process.env.RUNGS_TEST_NAMED !== undefined;
  hook = createHook(isNeeded ? callbacks : {});
  return hook;
};

process.on("uncaughtExceptionMonitor", (error) => console.error(error));
process.on("unhandledRejection", (error) => console.error(error));

/** Ends the tracking; tests that are defined later must not be in a suite. */
export function stopTracking(): void {
  hook?.disable();
}
