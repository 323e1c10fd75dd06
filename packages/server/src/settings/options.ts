import type { Sealer } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { KnownTexts } from "../window/text-check.ts";
import { limits as defaultLimits, type Limits } from "./limits.ts";

/** One request, as the log tells it: never content, query text or a token. */
export interface LogEntry {
  readonly time: string;
  readonly request_id: string;
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  readonly code?: string;
  readonly duration_ms: number;
  readonly bytes: number;
  /** Where in the program an unexpected failure happened. */
  readonly failure?: readonly string[];
}

/** Takes log entries. */
export type Log = (entry: LogEntry) => void;

/** What a server is made of. */
export interface ServerOptions {
  readonly store: Store;
  /** Seals cursors; `openSealer` makes one from the store's own secret. */
  readonly sealer: Sealer;
  /** The time in milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly log?: Log | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Names under which the server is reached, beside those of the machine itself. */
  readonly hosts?: readonly string[] | undefined;
  /** The address that clients see; that of the request when left out. */
  readonly base_url?: string | undefined;
  /** Where clients get tokens (RFC 9728). */
  readonly authorization_servers?: readonly string[] | undefined;
  /** The address that tokens are made for; that of the request when left out. */
  readonly audience?: string | undefined;
}

/** The options, defaults filled in. */
export interface Settings {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly now: () => number;
  readonly log: Log;
  readonly limits: Limits;
  readonly hosts: readonly string[];
  readonly base_url: string | undefined;
  readonly authorization_servers: readonly string[];
  readonly audience: string | undefined;
  /** Kept between requests. */
  readonly known_texts: KnownTexts;
}

/** Fills the defaults in. */
export function completeOptions(options: ServerOptions): Settings {
  return {
    store: options.store,
    sealer: options.sealer,
    now: options.now ?? Date.now,
    log: options.log ?? (() => undefined),
    limits: { ...defaultLimits, ...options.limits },
    hosts: options.hosts ?? [],
    base_url: options.base_url?.replace(/\/+$/, ""),
    authorization_servers: options.authorization_servers ?? [],
    audience: options.audience,
    known_texts: new KnownTexts(),
  };
}
