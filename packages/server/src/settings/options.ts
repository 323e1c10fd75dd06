import type { ErrorBody } from "@rungs/contract";
import type { Sealer } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import type { TokenSource } from "../access/tokens.ts";
import { KnownTexts } from "../window/known-texts.ts";
import { limits as defaultLimits, type Limits } from "./limits.ts";

/** One request in the log: never content, query text or a token. */
export interface LogEntry {
  readonly time: string;
  readonly request_id: string;
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  readonly code?: string;
  readonly duration_ms: number;
  readonly bytes: number;
  /** Where in the program an unexpected error occurred. */
  readonly failure?: readonly string[];
  /** The `traceparent` of the request, if it has one. */
  readonly parent?: string;
  /** How many requests the entry is for, if more than one: refusals of a flood are logged together. */
  readonly requests?: number;
}

/** Takes log entries. */
export type Log = (entry: LogEntry) => void;

/** How a server stops, one signal after the other. */
export interface Stopping {
  /** It still answers, and `readyz` reports that it is stopping. */
  readonly begun: AbortSignal;
  /** It takes no new connections. Watched streams end, so that their clients continue at another server. */
  readonly closing: AbortSignal;
  /** Streams that are still open end with an error that says so. */
  readonly ending: AbortSignal;
}

/** The options of a server. */
export interface ServerOptions {
  readonly store: Store;
  /** Where clients' tokens are looked up; by default in the store. */
  readonly tokens?: TokenSource | undefined;
  /** Seals cursors; `openSealer` creates one from the store's secret. */
  readonly sealer: Sealer;
  /** The time in milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly log?: Log | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Allowed host names besides the loopback names. */
  readonly hosts?: readonly string[] | undefined;
  /** The public URL; by default the origin of the request. */
  readonly base_url?: string | undefined;
  /** Where clients get tokens (RFC 9728). */
  readonly authorization_servers?: readonly string[] | undefined;
  /** The audience of tokens; by default the origin of the request. */
  readonly audience?: string | undefined;
  /** Whether other programs reach the server; by default they do. */
  readonly is_served?: boolean | undefined;
  readonly stopping?: Stopping | undefined;
  readonly renderRefusal?: RenderRefusal | undefined;
}

/** Renders a refusal for its face, such as a page; if undefined, the server answers with JSON. */
export type RenderRefusal = (
  request: Request,
  status: number,
  body: ErrorBody,
) => Promise<Response | undefined>;

/** The options with defaults applied. */
export interface Settings {
  readonly store: Store;
  readonly tokens: TokenSource;
  readonly sealer: Sealer;
  readonly now: () => number;
  readonly log: Log;
  readonly limits: Limits;
  readonly hosts: readonly string[];
  readonly base_url: string | undefined;
  readonly authorization_servers: readonly string[];
  readonly audience: string | undefined;
  readonly is_served: boolean;
  readonly stopping: Stopping | undefined;
  readonly renderRefusal: RenderRefusal;
  /** Shared between requests. */
  readonly known_texts: KnownTexts;
}

/** Applies the defaults. */
export function completeOptions(options: ServerOptions): Settings {
  return {
    store: options.store,
    tokens: options.tokens ?? options.store,
    sealer: options.sealer,
    now: options.now ?? Date.now,
    log: options.log ?? (() => undefined),
    limits: { ...defaultLimits, ...options.limits },
    hosts: options.hosts ?? [],
    base_url: options.base_url?.replace(/\/+$/, ""),
    authorization_servers: options.authorization_servers ?? [],
    audience: options.audience,
    is_served: options.is_served ?? true,
    stopping: options.stopping,
    renderRefusal: options.renderRefusal ?? (async () => undefined),
    known_texts: new KnownTexts(),
  };
}
