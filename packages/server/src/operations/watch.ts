/** `watch`: reports changes of a stream's granted data as they happen. Only changes that the grant shows count (R54). */
import { setTimeout as sleep } from "node:timers/promises";
import { changesSince, createPager, type Pager } from "../cursor/page-cursor.ts";
import { findChange, readHorizon } from "../records/horizon.ts";
import { requireStream, type StreamTarget } from "../records/target.ts";
import type { Call, Handler } from "./handler.ts";

/**
 * After this many intervals without a change, the server sends an empty line: it checks access again and keeps proxies
 * from closing the connection. Writes outside the grant make the server look earlier, but must not affect when these
 * lines are sent.
 */
const QUIET_ROUNDS = 5;
/** The least time between two looks at a stream while something is being written. */
const LOOK_MS = 250;

/** `watch`: a line whenever the stream's changes would list something. */
export const handleWatch: Handler<"watch"> = async (call) => {
  const { settings, authority, input, now_ms } = call;
  const target = requireStream(authority, input);
  const { connection_id, stream, scope } = target;
  const bound = [authority.grant_key, connection_id, stream, undefined];
  // The positions of different lines always differ: equal ones would reveal how much was written outside the grant.
  const openPager = (at_ms: number) =>
    createPager(changesSince, bound, { sealer: settings.sealer, now_ms: at_ms, param: "changes_since" });
  const since =
    input.changes_since === undefined
      ? await readHorizon(settings.store, scope, target)
      : openPager(now_ms).open(input.changes_since);
  return {
    kind: "stream",
    status: 200,
    headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "private, no-store, no-transform" },
    chunks: watchStream(call, target, { since, openPager }),
    reads: () => [{ connection_id, stream, records: 0 }],
  };
};

interface Watched {
  readonly since: number;
  readonly openPager: (at_ms: number) => Pager<number>;
}

async function* watchStream(
  { settings: { store, limits, stopping, now }, input, request }: Call<"watch">,
  target: StreamTarget,
  { since, openPager }: Watched,
): AsyncGenerator<Uint8Array> {
  const { connection_id, stream } = target;
  const signal = stopping ? AbortSignal.any([request.signal, stopping.closing]) : request.signal;
  const writeLine = (object: "stream_watched" | "stream_changed", from: number, to: number) => {
    const pager = openPager(now());
    const positions = { changes_since: pager.seal(from), next_changes_since: pager.seal(to) };
    return encode(`${JSON.stringify({ object, connection_id, stream, ...positions })}\n`);
  };
  yield writeLine("stream_watched", since, since);
  // A chunk is sent once the next one is there.
  yield encode("\n");
  let position = since;
  const { seconds = Number.POSITIVE_INFINITY } = input;
  const ends_ms = performance.now() + seconds * 1000;
  const quiet_ms = QUIET_ROUNDS * limits.watch_ms;
  let quiet_until_ms = performance.now() + quiet_ms;
  const writes = await listenForWrites(store, target.scope.owner_id);
  try {
    while (!signal.aborted && performance.now() < ends_ms) {
      writes.forget();
      const found = await findChange(store, target.scope, target, position);
      if (found.hasChanged) {
        yield writeLine("stream_changed", position, found.position);
        yield encode("\n");
      }
      position = found.position;
      if (performance.now() >= quiet_until_ms) yield encode("\n");
      if (found.hasChanged || performance.now() >= quiet_until_ms)
        quiet_until_ms = performance.now() + quiet_ms;
      const wait_ms = Math.min(limits.watch_ms, Math.min(quiet_until_ms, ends_ms) - performance.now());
      await writes.wait(wait_ms, signal);
    }
  } finally {
    writes.end();
  }
}

/** Waits for writes of an owner by any program that uses the database. */
async function listenForWrites(store: Call<"watch">["settings"]["store"], owner_id: string) {
  let written = Promise.withResolvers<void>();
  const end = await store.onWrite(owner_id, () => written.resolve());
  return {
    end,
    /** Forgets the writes so far: the next read sees them. */
    forget() {
      written = Promise.withResolvers<void>();
    },
    /** Waits until something is written: at least a moment, at most `most_ms`. */
    async wait(most_ms: number, signal: AbortSignal): Promise<void> {
      const done = new AbortController();
      const options = { signal: AbortSignal.any([signal, done.signal]), ref: false };
      const pause = (ms: number) => sleep(Math.max(0, ms), undefined, options).catch(() => undefined);
      await pause(Math.min(LOOK_MS, most_ms));
      await Promise.race([written.promise, pause(most_ms - LOOK_MS)]);
      done.abort();
    },
  };
}

function encode(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}
