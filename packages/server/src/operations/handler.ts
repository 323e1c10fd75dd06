/** What an operation's function is given, and what it gives back. */
import type { InputOf, OperationName, Operations, OutputOf } from "@rungs/contract";
import type { AuditedRead } from "../access/audit-log.ts";
import type { Authority } from "../access/authority.ts";
import type { Settings } from "../settings/options.ts";

/** The operations that need no token. */
export type PublicName = "healthz" | "openapi" | "protected_resource";

/** The operations under a token. */
export type GuardedName = Exclude<OperationName, PublicName>;

/** A question that anybody may ask. */
interface PublicCall {
  readonly settings: Settings;
  /** The address of this server as the caller sees it. */
  readonly base_url: string;
  /** The path that was asked. */
  readonly path: string;
}

/** A question under a token, its input parsed and its authority known. */
export interface Call<Name extends GuardedName> {
  readonly settings: Settings;
  readonly authority: Authority;
  readonly input: InputOf<Operations[Name]>;
  readonly path: string;
  readonly request: Request;
  readonly now_ms: number;
}

/** An answer, and which reads it stands for (R55). */
export type OperationAnswer<Body> = JsonAnswer<Body> | StreamAnswer | EmptyAnswer;

/** One JSON document. */
interface JsonAnswer<Body> {
  readonly kind: "json";
  readonly body: Body;
  readonly reads: readonly AuditedRead[];
}

/** Bytes that are made while they are sent. */
interface StreamAnswer {
  readonly kind: "stream";
  readonly status: 200 | 206;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Asked when the last of them is made, or the reader has gone. */
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

/** Answers one operation that anybody may ask. */
export type PublicHandler<Name extends PublicName> = (
  call: PublicCall,
) => Promise<OutputOf<Operations[Name]>>;
