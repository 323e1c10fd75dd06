import type { CommandCall } from "./command.ts";

const PAUSE_MS = 200;

/** Shows how far a transfer is, now and then, where somebody watches; `done` takes it away again. */
export function createProgress({ io: { watch } }: CommandCall, describe: (count: number) => string) {
  let shown_ms = 0;
  return {
    show(count: number): void {
      const now = Date.now();
      if (!watch || now - shown_ms < PAUSE_MS) return;
      shown_ms = now;
      watch(describe(count));
    },
    done: () => watch?.(""),
  };
}
