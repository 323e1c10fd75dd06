/**
 * Throttles a flood of one token before it costs anything: a few of its requests are in the app, some queue, and the
 * rest are refused without a lookup. A queued request that hangs up is dropped. Requests of other tokens, or of none,
 * pass at once, however long that queue is (R57).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { operations } from "@rungs/contract";
import { createTurns, digestToken, type Log, limits, type Turn } from "@rungs/server";
import { describeEarlyRefusal } from "./client-error.ts";

/** Lets a request into the app by calling `pass`, at once, later or never. */
export type FloodGate = (incoming: IncomingMessage, outgoing: ServerResponse, pass: () => void) => void;

/** A few more than the app runs at once, so that the app never idles until the next turn of the event loop. */
const AT_ONCE = 2 * limits.share.requests;
const WAITING = limits.share.requests + limits.share.waiting - AT_ONCE;
/** Refusals are logged together. */
const LOG_MS = 1_000;

const TOKEN = /^(?:bearer|dpop) +(?<token>\S+)/i;
/** Streams stay open for long: each kind has its own queue, so that nothing else waits for them. */
const STREAMS = Object.values(operations)
  .filter(({ answer }) => answer === "ndjson" || answer === "bytes")
  .map(({ path }) => path.split("{")[0] as string);

const WATCH = operations.watch.path.split("{")[0] as string;

/** Creates the gate of a server. */
export function createFloodGate(log: Log): FloodGate {
  const take = createTurns({ at_once: AT_ONCE, waiting: WAITING });
  // One more than the app takes, so that the app itself refuses the excess.
  const takeWatch = createTurns({ at_once: limits.share.watches + 1, waiting: 0 });
  const count = createRefusalCounter(log);
  return (incoming, outgoing, pass) => {
    const line = findLine(incoming);
    if (line === undefined) return pass();
    const left = new AbortController();
    let turn: Turn | undefined;
    outgoing.once("close", () => {
      left.abort();
      // The next request of a flood follows everything else that arrived meanwhile.
      if (turn) setImmediate(turn.end);
    });
    (line.endsWith(WATCH) ? takeWatch : take)(line, left.signal).then(
      (taken) => {
        turn = taken;
        if (left.signal.aborted) turn.end();
        else pass();
      },
      (refusal: unknown) => {
        if (left.signal.aborted) return;
        const { status, headers, text } = describeEarlyRefusal(refusal);
        outgoing.writeHead(status, { ...headers, "Retry-After": "1" }).end(text);
        count(headers["Request-Id"], incoming.method ?? "", text.length);
      },
    );
  };
}

function findLine({ headers, url = "" }: IncomingMessage): string | undefined {
  const token = TOKEN.exec(headers.authorization ?? "")?.groups?.token;
  if (token === undefined) return undefined;
  return `${digestToken(token)} ${STREAMS.find((path) => url.startsWith(path)) ?? ""}`;
}

/** Logs the first refusal of each second with the number of all. */
function createRefusalCounter(log: Log): (request_id: string, method: string, bytes: number) => void {
  let requests = 0;
  let total_bytes = 0;
  return (request_id, method, bytes) => {
    requests += 1;
    total_bytes += bytes;
    if (requests > 1) return;
    const timer = setTimeout(() => {
      const refused = { method, status: 429, code: "rate_limited", duration_ms: 0, bytes: total_bytes };
      log({ time: new Date().toISOString(), request_id, operation: null, ...refused, requests });
      requests = 0;
      total_bytes = 0;
    }, LOG_MS);
    timer.unref();
  };
}
