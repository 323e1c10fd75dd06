/** `watch`: tells as it happens that granted data of a stream changed. Only what the grant shows moves it (R54). */
import { setTimeout as sleep } from "node:timers/promises";
import { changesSince, createPager, type Pager } from "../cursor/page-cursor.ts";
import { findChange, readHorizon } from "../records/horizon.ts";
import { requireStream, type StreamTarget } from "../records/target.ts";
import type { Call, Handler } from "./handler.ts";

/** An empty line in every such round without a change: the access is checked again, and proxies keep the connection. */
const QUIET_ROUNDS = 5;

/** `watch`: a line whenever the stream's changes would list something. */
export const handleWatch: Handler<"watch"> = async (call) => {
  const { settings, authority, input, now_ms } = call;
  const target = requireStream(authority, input);
  const { connection_id, stream, scope } = target;
  const bound = [authority.grant_key, connection_id, stream, undefined];
  const pager = createPager(changesSince, bound, {
    sealer: settings.sealer,
    now_ms,
    param: "changes_since",
  });
  const since =
    input.changes_since === undefined
      ? await readHorizon(settings.store, scope, target)
      : pager.open(input.changes_since);
  return {
    kind: "stream",
    status: 200,
    headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "private, no-store, no-transform" },
    chunks: watchStream(call, target, { since, pager }),
    reads: () => [{ connection_id, stream, records: 0 }],
  };
};

interface Watched {
  readonly since: number;
  readonly pager: Pager<number>;
}

async function* watchStream(
  { settings: { store, limits, stopping }, input, request }: Call<"watch">,
  target: StreamTarget,
  { since, pager }: Watched,
): AsyncGenerator<Uint8Array> {
  const { connection_id, stream } = target;
  const signal = stopping ? AbortSignal.any([request.signal, stopping.closing]) : request.signal;
  const writeLine = (object: "stream_watched" | "stream_changed", from: number, to: number) => {
    const positions = { changes_since: pager.seal(from), next_changes_since: pager.seal(to) };
    return encode(`${JSON.stringify({ object, connection_id, stream, ...positions })}\n`);
  };
  yield writeLine("stream_watched", since, since);
  // A chunk is sent when the next one is there.
  yield encode("\n");
  let position = since;
  const { seconds = Number.POSITIVE_INFINITY } = input;
  const ends_ms = performance.now() + seconds * 1000;
  for (let quiet = 1; !signal.aborted && performance.now() < ends_ms; quiet += 1) {
    const found = await findChange(store, target.scope, target, position);
    if (found.hasChanged) {
      yield writeLine("stream_changed", position, found.position);
      yield encode("\n");
    } else if (quiet % QUIET_ROUNDS === 0) {
      yield encode("\n");
    }
    position = found.position;
    await sleep(limits.watch_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

function encode(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}
