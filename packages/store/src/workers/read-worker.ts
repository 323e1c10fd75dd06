/** The program of a worker thread: answers one read after another, on its own connection. */
import { parentPort, workerData } from "node:worker_threads";
import { Catalog } from "../catalog/catalog.ts";
import { createReads } from "../create-store.ts";
import type { Embedder } from "../store.ts";
import { Embedders } from "../vectors/embedders.ts";
import { createSpentWork, defaultLimits } from "../work-budget.ts";
import { GiveWay, LightPlace, readThreadMs } from "./light-reads.ts";
import {
  addCounts,
  type FromWorker,
  packError,
  type ReadCounts,
  type ToWorker,
  unpackError,
  type WorkerStart,
} from "./messages.ts";
import { callRead, type ScopedReads } from "./scoped-reads.ts";

const { engine, address, role, options, model, flag, place }: WorkerStart = workerData;
const port = parentPort as NonNullable<typeof parentPort>;
const send = (message: FromWorker) => port.postMessage(message);

/** A statement ends by itself only when the budget did not end the read before. */
const STATEMENT_MS = 2 * (options.work_limits?.milliseconds ?? defaultLimits.milliseconds);

const engines = {
  sqlite: async () => (await import("../sqlite/open-reader.ts")).openSqliteReader(address, options),
  postgres: async () =>
    (await import("../postgres/open-reader.ts")).openPostgresReader(address, role, STATEMENT_MS),
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

/** Opened by the first read, so that its caller gets the error if that fails. */
let opened: ReturnType<typeof open> | undefined;

async function open() {
  const { database, cancel } = await engines[engine]();
  const cancelled = () => Atomics.load(flag, 0) !== 0;
  const work = createSpentWork();
  const shared = { catalog: new Catalog(database), work };
  const reads = createReads(
    { database, embedders: new Embedders(builtin) },
    { ...options, cancelled, pause: () => giveWay.pause() },
    shared,
  );
  return { reads, counts: { traffic: database.traffic, work }, cancel };
}

async function answer({ name, args, light_ms }: Extract<ToWorker, { kind: "read" }>): Promise<void> {
  giveWay.begin(light_ms);
  try {
    opened ??= open();
    const { reads, counts } = await opened.catch(forget);
    const before = structuredClone(counts);
    const value = name === "readBlob" ? await readPiece(reads, args) : await callRead(reads, name, args);
    send({ kind: "answer", value, counts: subtract(counts, before), times: giveWay.end() });
  } catch (error) {
    send({ kind: "failed", failure: packError(error), times: giveWay.end() });
  }
}

function forget(error: unknown): never {
  opened = undefined;
  throw error;
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
  else if (message.kind === "cancel") void opened?.then(({ cancel }) => cancel()).catch(() => undefined);
  else embedded?.(message);
});
send({ kind: "ready" });
