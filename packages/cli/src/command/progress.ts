import type { CommandCall } from "./command.ts";

const PAUSE_MS = 200;

/** Shows progress on a terminal, at most five times a second; `done` clears the line. */
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
