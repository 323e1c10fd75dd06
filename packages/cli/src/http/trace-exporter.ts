/** Sends a span for each request to an OpenTelemetry collector, as OTLP over HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/). */
import { randomBytes } from "node:crypto";
import type { LogEntry } from "@rungs/server";

/** Where spans go. */
export interface TraceTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly version: string;
  /** Called with a sentence when sending starts to fail, and when it recovers. */
  readonly onChange: (sentence: string) => void;
}

export interface TraceExporter {
  add(entry: LogEntry): void;
  /** Flushes what is left. */
  close(): Promise<void>;
}

/** Beyond this, new spans are dropped: an unreachable collector must not fill the memory. */
const QUEUE_SPANS = 2_048;
const SEND_EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;
const SERVER_KIND = 2;
const ERROR_CODE = 2;

/** Creates an exporter. No request waits for it. */
export function createTraceExporter({ url, headers, version, onChange }: TraceTarget): TraceExporter {
  let queue: LogEntry[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isFailing = false;

  async function send(entries: readonly LogEntry[]): Promise<void> {
    const reason = await post(entries).catch((error: Error) => error.name);
    if (reason !== undefined && !isFailing)
      onChange(`Traces cannot be sent (${reason}); they are dropped until they can.`);
    if (reason === undefined && isFailing) onChange("Traces are sent again.");
    isFailing = reason !== undefined;
  }

  /** The reason why the collector did not take them; undefined when it did. */
  async function post(entries: readonly LogEntry[]): Promise<string | undefined> {
    const body = JSON.stringify({
      resourceSpans: [
        {
          ...describeProgram(version),
          scopeSpans: [{ scope: { name: "rungs" }, spans: entries.map(toSpan) }],
        },
      ],
    });
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `status ${answer.status}`;
  }

  function flush(): Promise<void> {
    const entries = queue;
    queue = [];
    if (entries.length > 0) sending = sending.then(() => send(entries));
    return sending;
  }

  const timer = setInterval(() => void flush(), SEND_EVERY_MS).unref();
  return {
    add(entry) {
      if (queue.length < QUEUE_SPANS) queue.push(entry);
    },
    close() {
      clearInterval(timer);
      return flush();
    },
  };
}

function describeProgram(version: string) {
  return { resource: { attributes: toAttributes({ "service.name": "rungs", "service.version": version }) } };
}

/** A span carries what a log line carries: never content, query text or a token. */
function toSpan({ time, request_id, operation, method, status, code, duration_ms, bytes, parent }: LogEntry) {
  const end_ns = BigInt(Date.parse(time)) * 1_000_000n;
  const [, trace_id = randomBytes(16).toString("hex"), parent_id] = parent?.split("-") ?? [];
  return {
    traceId: trace_id,
    spanId: randomBytes(8).toString("hex"),
    ...(parent_id === undefined ? {} : { parentSpanId: parent_id }),
    name: operation ?? method,
    kind: SERVER_KIND,
    startTimeUnixNano: String(end_ns - BigInt(Math.round(duration_ms * 1_000_000))),
    endTimeUnixNano: String(end_ns),
    attributes: toAttributes({
      "http.request.method": method,
      "http.response.status_code": status,
      "http.response.body.size": bytes,
      "rungs.request_id": request_id,
      ...(code === undefined ? {} : { "error.type": code }),
    }),
    ...(status >= 500 ? { status: { code: ERROR_CODE } } : {}),
  };
}

function toAttributes(values: Readonly<Record<string, string | number>>) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}
