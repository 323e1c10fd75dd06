/** The types of operation handlers: their calls and answers. */
import type { InputOf, OperationName, Operations, OutputOf } from "@rungs/contract";
import type { AuditedRead } from "../access/audit-log.ts";
import type { Authority } from "../access/authority.ts";
import type { Settings } from "../settings/options.ts";

/** The operations that need no token. */
export type PublicName = "index" | "healthz" | "livez" | "readyz" | "openapi" | "protected_resource";

/** The operations that need a token. */
export type GuardedName = Exclude<OperationName, PublicName>;

/** A call that needs no token. */
interface PublicCall {
  readonly settings: Settings;
  /** The URL of this server as the caller sees it. */
  readonly base_url: string;
  readonly path: string;
}

/** A call under a token, with parsed input and resolved authority. */
export interface Call<Name extends GuardedName> {
  readonly settings: Settings;
  readonly authority: Authority;
  readonly input: InputOf<Operations[Name]>;
  readonly path: string;
  readonly request: Request;
  readonly now_ms: number;
  readonly token_digest: string;
}

/** An answer, and the reads that the audit log records for it (R55). */
export type OperationAnswer<Body> = JsonAnswer<Body> | StreamAnswer | EmptyAnswer;

/** One JSON document. */
interface JsonAnswer<Body> {
  readonly kind: "json";
  readonly body: Body;
  readonly reads: readonly AuditedRead[];
}

/** Bytes that are produced while they are sent. */
interface StreamAnswer {
  readonly kind: "stream";
  readonly status: 200 | 206;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called after the last chunk, or when the client has disconnected. */
  readonly reads: () => readonly AuditedRead[];
}

/** A status and headers without a body. */
interface EmptyAnswer {
  readonly kind: "empty";
  readonly status: 200 | 204 | 206 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reads: readonly AuditedRead[];
}

/** Answers one operation under a token. */
export type Handler<Name extends GuardedName> = (
  call: Call<Name>,
) => Promise<OperationAnswer<OutputOf<Operations[Name]>>>;

/** Answers one operation without a token. */
export type PublicHandler<Name extends PublicName> = (
  call: PublicCall,
) => Promise<OutputOf<Operations[Name]>>;
