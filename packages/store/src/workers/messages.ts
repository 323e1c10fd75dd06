/** The messages between the threads of a pool. */
import { ApiError, isErrorCode } from "@rungs/contract";
import { CodedError, type CodedErrorDetails } from "@rungs/evidence";
import type { SealKeys } from "../postgres/seal.ts";
import type { Embedder, SlowQuery, SpentWork, StoreOptions, Traffic } from "../store.ts";
import type { SharedPlace } from "./light-reads.ts";
import type { ScopedRead } from "./scoped-reads.ts";

/** The initial data of a worker. */
export interface WorkerStart {
  readonly engine: "sqlite" | "postgres";
  /** The file, or the server's URL. */
  readonly address: string;
  /** The URL of a replica of it, and the name of the database that this must be a copy of. */
  readonly replica?: { readonly address: string; readonly of: string } | undefined;
  /** The role to read under (`postgres/server-role.ts`). */
  readonly role?: string | undefined;
  /** The keys of a sealed PostgreSQL database. */
  readonly seal?: SealKeys | undefined;
  readonly options: Pick<
    StoreOptions,
    "busy_ms" | "key" | "rank_window" | "similar_scan" | "expansion" | "ranking" | "work_limits"
  >;
  /** The threshold of slow statements in milliseconds; undefined for never. */
  readonly slow_ms: number | undefined;
  /** The embedder that owners have who chose none; the main thread embeds with it. */
  readonly model: Pick<Embedder, "id" | "dimensions" | "baseline"> | null;
  /** Not zero while the running read is cancelled. */
  readonly flag: Int32Array;
  /** Where it says whether its read is light. */
  readonly place: SharedPlace;
}

/** A read, an answer to `EmbedRequest`, or the news that the running read is cancelled. */
export type ToWorker =
  | {
      readonly kind: "read";
      readonly name: ScopedRead | "readBlob";
      readonly args: readonly unknown[];
      /** After how long the read yields to light ones. */
      readonly light_ms: number;
      /** What a replica must have to answer (`Access.write_version`); without it, the primary answers. */
      readonly write_version: number | undefined;
    }
  | { readonly kind: "embedded"; readonly vectors: readonly Float32Array[] }
  | { readonly kind: "embed_failed"; readonly failure: Failure }
  | { readonly kind: "cancel" }
  /** Breaks the connections to a server that no longer answers. */
  | { readonly kind: "drop"; readonly server: ServerKind };

/** The answer to a read, or a request for the vectors of texts. */
/** `ready`: the thread has loaded its program. */
export type FromWorker =
  | { readonly kind: "ready" }
  | {
      readonly kind: "answer";
      readonly value: unknown;
      readonly server: ServerKind;
      readonly counts: ReadCounts;
      readonly times: ReadTimes;
    }
  | { readonly kind: "failed"; readonly failure: Failure; readonly times: ReadTimes }
  | { readonly kind: "embed"; readonly texts: readonly string[] }
  /** Before the answer, or the failure, of the read that it is part of. */
  | { readonly kind: "slow"; readonly query: SlowQuery };

/** Which of a database's servers. */
export type ServerKind = "primary" | "replica";

/** The database traffic of one read, and its work. */
export interface ReadCounts {
  readonly traffic: Traffic;
  readonly work: SpentWork;
}

/** How long a read ran, and how long it yielded to others. */
export interface ReadTimes {
  readonly ran_ms: number;
  readonly paused_ms: number;
}

/** An error as plain data: with its code and details, or with the codes of the engine (`errcode` is SQLite's). */
interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly errcode: number | undefined;
  readonly details: CodedErrorDetails | undefined;
}

/** Describes an error for the other thread. */
export function packError(thrown: unknown): Failure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { message, stack, code, errcode } = error as Error & { code?: unknown; errcode?: number };
  const details = error instanceof CodedError ? error.details : undefined;
  return { message, stack, code: typeof code === "string" ? code : undefined, errcode, details };
}

/** Restores a described error. */
export function unpackError({ message, stack, code, errcode, details }: Failure): Error {
  if (details && code !== undefined)
    return isErrorCode(code) ? new ApiError(code, details) : new CodedError(code, details);
  return Object.assign(new Error(message), { stack, ...(code && { code }), ...(errcode && { errcode }) });
}

/** Adds counts, or subtracts them with sign -1, in place. */
export function addCounts<Counts extends Record<keyof Counts, number>>(
  total: Counts,
  more: Readonly<Counts>,
  sign: 1 | -1 = 1,
): Counts {
  for (const name in total) (total[name] as number) += sign * more[name];
  return total;
}
