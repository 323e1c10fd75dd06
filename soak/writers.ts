/** Writers that send batches one after another, record acknowledged ones, and check the others. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../testing/random.ts";
import { type Answer, ask, sendRecords } from "./ask.ts";
import type { Batch, Ledger } from "./ledger.ts";
import { createNote, deleteNote, numberOf, STREAM, toLines } from "./notes.ts";
import type { Service } from "./service.ts";
import { CONNECTION } from "./world.ts";

/** The error codes of a server whose database is unavailable. */
const PASSING = new Set(["database_unavailable", "database_busy"]);
const NEW_RECORDS = 4;
/** Below the rate limit of one token. */
const PAUSE_MS = 50;

export interface WriterOptions {
  readonly service: Service;
  readonly ledger: Ledger;
  readonly writers: number;
  readonly stop: AbortSignal;
}

/** Writes until aborted. Each writer adds, changes and deletes its own keys. */
export async function runWriters(options: WriterOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.writers }, (_, writer) => runWriter(options, writer)));
}

async function runWriter({ service, ledger, stop }: WriterOptions, writer: number): Promise<void> {
  const random = createRandom(writer);
  const mine: string[] = [];
  for (let turn = 0; !stop.aborted; turn += 1) {
    const batch = createBatch(writer, turn, mine, random);
    const answer = await send(await service.ready, service, batch);
    if (answer.status === 200) {
      assert.equal(answer.body.rejected, 0, JSON.stringify(answer.body));
      ledger.acknowledge(batch);
    } else {
      requirePassing(answer);
      await ledger.settle(batch, (key) => lookUp(service, CONNECTION, key));
    }
    for (const key of batch.keys()) if (ledger.kept.has(key) && !mine.includes(key)) mine.push(key);
    await delay(PAUSE_MS);
  }
}

/** New notes, a change of an older note and the deletion of another. */
function createBatch(writer: number, turn: number, mine: string[], random: () => number): Batch {
  const nextNumber = (at: number) => (turn * 10 + at) * 100 + writer;
  const batch = new Map<string, number | undefined>();
  for (let at = 0; at < NEW_RECORDS; at += 1) batch.set(`w${writer}-${turn}-${at}`, nextNumber(at));
  if (mine.length < 10) return batch;
  const take = () => mine.splice(Math.floor(random() * mine.length), 1)[0] as string;
  batch.set(take(), nextNumber(NEW_RECORDS));
  if (turn % 3 === 0) batch.set(take(), undefined);
  return batch;
}

function send(url: string, { world }: Service, batch: Batch): Promise<Answer> {
  const records = [...batch].map(([key, number]) =>
    number === undefined ? deleteNote(key) : createNote(key, number),
  );
  return sendRecords(url, world.owner, CONNECTION, toLines(records));
}

/** The server may be down, or report that its database is; anything else is a bug. */
export function requirePassing(answer: Answer): void {
  if (answer.status === 0) return;
  const { error } = answer.body;
  assert.ok(PASSING.has(error?.code), `answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** The number of the note that a server stores under a key; retries until the server answers. */
export async function lookUp(service: Service, connection: string, key: string): Promise<number | undefined> {
  for (;;) {
    const url = await service.ready;
    const path = `/v1/streams/${STREAM}/records/${key}?connection_id=${connection}`;
    const answer = await ask(url + path, service.world.agents[0] ?? "");
    if (answer.status === 200) return numberOf(answer.body.data);
    if (answer.status === 404) return undefined;
    if (answer.status !== 429) requirePassing(answer);
    await delay(50);
  }
}
