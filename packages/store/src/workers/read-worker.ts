/** The program of a worker thread: answers one read after another, on its own connection. */
import { parentPort, workerData } from "node:worker_threads";
import { CodedError } from "@rungs/evidence";
import { Catalog } from "../catalog/catalog.ts";
import type { SlowWatch } from "../slow-queries.ts";
import type { Embedder, SlowQuery } from "../store.ts";
import { Embedders } from "../vectors/embedders.ts";
import { createSpentWork, defaultLimits } from "../work-budget.ts";
import { GiveWay, LightPlace, readThreadMs } from "./light-reads.ts";
import {
  addCounts,
  type FromWorker,
  packError,
  type ReadCounts,
  type ServerKind,
  type ToWorker,
  unpackError,
  type WorkerStart,
} from "./messages.ts";
import { callRead, createReads, type ScopedReads } from "./scoped-reads.ts";

const { engine, address, replica, role, seal, options, slow_ms, model, flag, place }: WorkerStart =
  workerData;
const port = parentPort as NonNullable<typeof parentPort>;
const send = (message: FromWorker) => port.postMessage(message);

/** The statement timeout applies only if the budget did not end the read first. */
const STATEMENT_MS = 2 * (options.work_limits?.milliseconds ?? defaultLimits.milliseconds);

/** `57014`, `query_canceled`: by the caller, or by the limit of a statement. */
const CANCELLED = "57014";

let noted: Promise<SlowQuery>[] = [];
const slow: SlowWatch | undefined =
  slow_ms === undefined ? undefined : { from_ms: slow_ms, note: (query) => noted.push(query) };

/** Sends the slow statements of a finished read, while its request is known. */
async function sendSlow(): Promise<void> {
  const queries = noted;
  noted = [];
  for (const query of queries) send({ kind: "slow", query: await query });
}

const engines = {
  sqlite: async () => (await import("../sqlite/open-reader.ts")).openSqliteReader(address, options, slow),
  async postgres(server: ServerKind) {
    const { openPostgresReader } = await import("../postgres/open-reader.ts");
    const at = server === "replica" ? replica : undefined;
    const settings = { role, seal, statement_ms: STATEMENT_MS, replica_of: at?.of, slow };
    return openPostgresReader(at?.address ?? address, settings);
  },
};

type Embedded = Extract<ToWorker, { kind: "embedded" | "embed_failed" }>;
let embedded: ((answer: Embedded) => void) | undefined;

/** The main thread has the word vectors. */
async function embed(texts: readonly string[]): Promise<Float32Array[]> {
  const answer = await new Promise<Embedded>((resolve) => {
    embedded = resolve;
    send({ kind: "embed", texts });
  });
  if (answer.kind === "embed_failed") throw unpackError(answer.failure);
  return [...answer.vectors];
}

const builtin: Embedder | null = model && {
  ...model,
  embed,
  embedQuery: async (text) => (await embed([text]))[0] as Float32Array,
};

/** SQLite works in this thread, PostgreSQL elsewhere. */
const clock = engine === "sqlite" ? readThreadMs : () => performance.now();
const giveWay = new GiveWay(new LightPlace(place), flag, clock);

type Opened = Awaited<ReturnType<typeof open>>;

/** Opened by the first read, so that its caller gets the error if that fails. Each has its own caches: a replica may be behind. */
const opened = new Map<ServerKind, Promise<Opened>>();

async function open(server: ServerKind) {
  const reader = await engines[engine](server);
  const { database } = reader;
  const work = createSpentWork();
  const shared = { catalog: new Catalog(database), work };
  const reads = createReads(
    { database, embedders: new Embedders(builtin) },
    { ...options, cancelled: isCancelled, pause: () => giveWay.pause() },
    shared,
  );
  return { reads, counts: { traffic: database.traffic, work }, reader };
}

function isCancelled(): boolean {
  return Atomics.load(flag, 0) !== 0;
}

type ReadRequest = Extract<ToWorker, { kind: "read" }>;

async function answer(request: ReadRequest): Promise<void> {
  giveWay.begin(request.light_ms);
  try {
    const answered = (await tryReplica(request)) ?? (await readFrom("primary", request));
    await sendSlow();
    send({ kind: "answer", ...answered, times: giveWay.end() });
  } catch (error) {
    await sendSlow();
    send({ kind: "failed", failure: packError(error), times: giveWay.end() });
  }
}

/** Undefined if the primary must answer: the replica lags or is gone, or its replay conflicts with the read. */
async function tryReplica(request: ReadRequest): Promise<Answered | undefined> {
  if (replica === undefined || request.write_version === undefined) return undefined;
  try {
    return await readFrom("replica", request);
  } catch (error) {
    // A refusal from the replica stands: its data is recent enough.
    if (error instanceof CodedError || (error as { code?: unknown }).code === CANCELLED || isCancelled())
      throw error;
    return undefined;
  }
}

/** A value, where it comes from, and what it cost. */
interface Answered {
  readonly value: unknown;
  readonly server: ServerKind;
  readonly counts: ReadCounts;
}

async function readFrom(server: ServerKind, { name, args, write_version }: ReadRequest): Promise<Answered> {
  const opening = opened.get(server) ?? open(server);
  opened.set(server, opening);
  const { reads, counts, reader } = await opening.catch((error: unknown) => {
    opened.delete(server);
    throw error;
  });
  const before = structuredClone(counts);
  reader.require(server === "replica" ? write_version : undefined);
  const value = name === "readBlob" ? await readPiece(reads, args) : await callRead(reads, name, args);
  return { value, server, counts: subtract(counts, before) };
}

/** Applies to an open reader. */
function tell(server: ServerKind, what: "cancel" | "drop"): void {
  opened
    .get(server)
    ?.then(({ reader }) => reader[what]())
    .catch(() => undefined);
}

function subtract(now: ReadCounts, before: ReadCounts): ReadCounts {
  return {
    traffic: addCounts({ ...now.traffic }, before.traffic, -1),
    work: addCounts({ ...now.work }, before.work, -1),
  };
}

async function readPiece(reads: ScopedReads, args: readonly unknown[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of reads.readBlob(...(args as Parameters<ScopedReads["readBlob"]>)))
    pieces.push(piece);
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

port.on("message", (message: ToWorker) => {
  if (message.kind === "read") void answer(message);
  else if (message.kind === "drop") tell(message.server, "drop");
  else if (message.kind === "cancel") for (const server of opened.keys()) tell(server, "cancel");
  else embedded?.(message);
});
send({ kind: "ready" });
