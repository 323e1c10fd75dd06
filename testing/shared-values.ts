/** Shared values of several servers in one memory, with a clock that tests set. */
import type { SharedChange } from "@rungs/store";

/** Creates the context of limits that servers share. Each change takes a turn of the event loop, as a database would. */
export function createSharedValues() {
  const values = new Map<string, { readonly value: unknown; readonly expires_ms: number }>();
  const context = {
    clock: Date.parse("2026-01-01T00:00:00Z"),
    changes: 0,
    now: () => context.clock,
    store: {
      async changeShared<R>(owner_id: string, name: string, change: SharedChange<R>): Promise<R> {
        await new Promise(setImmediate);
        context.changes += 1;
        const key = `${owner_id} ${name}`;
        const held = values.get(key);
        const { value, kept_ms, result } = change(
          held && held.expires_ms > context.clock ? held.value : undefined,
        );
        values.set(key, { value, expires_ms: context.clock + kept_ms });
        return result;
      },
    },
  };
  return context;
}
