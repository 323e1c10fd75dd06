/** The subscriptions of one host connection: each stream is watched under the caller's grant. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, ServerUnreachable } from "@rungs/client";
import { ApiError, describeRefusal } from "@rungs/contract";
import type { Backend } from "./backend.ts";
import { parseStreamUri } from "./list-resources.ts";

/** How many streams a connection may watch; the server limits what all connections of a grant watch together. */
const STREAMS_MAX = 16;
const RETRY_MS = { first: 1_000, last: 60_000 };

type Lines = ReturnType<Client["watch"]>;

interface Watch {
  /** Who asked for it: a listen request, or a subscription to a single URI. */
  readonly holders: Set<unknown>;
  readonly end: AbortController;
}

/** What to do when a stream changes, and when nothing is left to watch for a holder. */
export interface Listener {
  changed(uri: string): void;
  ended?(holder: unknown): void;
}

/** The subscriptions of one connection. */
export class Subscriptions {
  readonly #watches = new Map<string, Watch>();
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Watches a stream; throws what reading it would throw. */
  async open(uri: string, holder: unknown, backend: Backend): Promise<void> {
    const known = this.#watches.get(uri);
    if (known) return void known.holders.add(holder);
    const name = parseStreamUri(uri);
    if (!name) throw new ApiError("invalid_request", { param: "uri", ...NOT_A_STREAM });
    if (this.#watches.size >= STREAMS_MAX)
      throw new ApiError("invalid_request", { param: "uri", ...TOO_MANY });
    const watch: Watch = { holders: new Set([holder]), end: new AbortController() };
    this.#watches.set(uri, watch);
    const client = backend.client.until(watch.end.signal);
    const reopen = (changes_since?: string) =>
      client.watch({ ...name, ...(changes_since === undefined ? {} : { changes_since }) });
    try {
      const lines = reopen();
      const first = await lines.next();
      const since = first.done ? undefined : String(first.value.next_changes_since);
      void this.#follow(uri, watch, { lines, since, reopen });
    } catch (error) {
      this.#watches.delete(uri);
      throw error;
    }
  }

  /** Watches the streams that the caller may read; returns them. */
  async openAll(uris: readonly string[], holder: unknown, backend: Backend): Promise<string[]> {
    const opened = await Promise.all(
      [...new Set(uris)].map((uri) =>
        this.open(uri, holder, backend).then(
          () => [uri],
          () => [],
        ),
      ),
    );
    return opened.flat();
  }

  /** Ends the subscriptions that only this holder asked for. */
  close(holder: unknown): void {
    for (const [uri, { holders, end }] of this.#watches) {
      if (!holders.delete(holder) || holders.size > 0) continue;
      this.#watches.delete(uri);
      end.abort();
    }
  }

  /** Ends everything. */
  closeAll(): void {
    for (const { end } of this.#watches.values()) end.abort();
    this.#watches.clear();
  }

  async #follow(
    uri: string,
    watch: Watch,
    opened: { lines: Lines; since: string | undefined; reopen(changes_since?: string): Lines },
  ): Promise<void> {
    let { lines, since } = opened;
    for (let wait_ms = RETRY_MS.first; ; wait_ms = Math.min(2 * wait_ms, RETRY_MS.last)) {
      try {
        for await (const line of lines) {
          if (watch.end.signal.aborted) return;
          since = line.next_changes_since;
          wait_ms = RETRY_MS.first;
          if (line.object === "stream_changed") this.#listener.changed(uri);
        }
      } catch (error) {
        if (!watch.end.signal.aborted && !isPassing(error)) break;
        if (isExpired(error)) since = undefined;
      }
      if (watch.end.signal.aborted) return;
      await sleep(wait_ms, undefined, { signal: watch.end.signal, ref: false }).catch(() => undefined);
      lines = opened.reopen(since);
    }
    this.#watches.delete(uri);
    for (const holder of watch.holders) if (!this.#isHolding(holder)) this.#listener.ended?.(holder);
  }

  #isHolding(holder: unknown): boolean {
    return [...this.#watches.values()].some(({ holders }) => holders.has(holder));
  }
}

const NOT_A_STREAM = {
  message: "uri: only streams can be subscribed to: pdpp://stream/CONNECTION/STREAM.",
  next: "List the resources for the streams that are granted.",
} as const;

const TOO_MANY = {
  message: `A connection can be subscribed to ${STREAMS_MAX} streams at once.`,
  next: "Unsubscribe from one of them first.",
} as const;

/** Whether to retry the watch: the server was away or busy, or it ends long-lived connections. */
function isPassing(error: unknown): boolean {
  return error instanceof ServerUnreachable || isExpired(error) || describeRefusal(error).status >= 429;
}

/** The position is too old, or what the owner hides has changed. */
function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === "cursor_expired";
}
