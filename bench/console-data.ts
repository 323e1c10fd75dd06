/**
 * The data of a person with many records: a mailbox, chats and notes with persons and threads, and a month of reads by
 * agents.
 */
import { declare, shapes } from "@rungs/importers";
import { ensureOwner, listConnections, type OwnerContext, putConnection } from "@rungs/server";
import type { Store } from "@rungs/store";
import { createRecords } from "./corpus.ts";
import { createEnglish } from "./english.ts";

const { text, title, body, actor, thread, time } = shapes;
const RECORD_BYTES = 500;
const BATCH = 1_000;
const PERSONS = 3_000;
const THREAD_RECORDS = 6;
/** How many of ten records each connection gets. */
const SHARES = { mail: 6, chat: 3, notes: 1 };
const CONNECTIONS = Object.entries(SHARES).flatMap(([id, share]) => new Array<string>(share).fill(id));
const AGENTS = ["Bird Notes", "Desk helper", "Planner"];
const AUDIT_DAYS = 30;

export const word = createEnglish();

const manifest = declare({
  connector: "bench-console",
  name: "Bench",
  version: "1",
  streams: [
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["subject", "body", "from"],
      properties: { id: text, thread_id: thread, subject: title, from: actor, sent_at: time, body },
    },
  ],
});

/** The owner, and the function that writes records up to a number. */
export interface OwnerData {
  readonly owner: OwnerContext;
  growTo(size: number): Promise<void>;
}

/** Creates the connections, and the function that fills them. */
export async function createOwnerData(store: Store, most: number): Promise<OwnerData> {
  const owner: OwnerContext = { store, owner_id: await ensureOwner(store), now: Date.now };
  for (const id of Object.keys(SHARES)) await putConnection(owner, id, manifest(), `My ${id}`);
  const records = createRecords(most, RECORD_BYTES, { word });
  const facts = await listConnections(owner);
  let count = facts.flatMap(({ streams }) => streams).reduce((sum, each) => sum + each.record_count, 0);

  if (count < most) for (let at = 0; at < count; at += 1) records.next();

  return {
    owner,
    async growTo(size: number): Promise<void> {
      while (count < size) {
        const batches = new Map(Object.keys(SHARES).map((id) => [id, [] as object[]]));
        for (let at = 0; at < Math.min(BATCH, size - count); at += 1) {
          const number = count + at;
          const { value: record } = records.next() as { value: { sent_at: string; id: string } };
          const data = {
            ...record,
            thread_id: `t${Math.floor(number / CONNECTIONS.length / THREAD_RECORDS)}`,
            from: `Person ${number % PERSONS} <p${number % PERSONS}@example.org>`,
          };
          const envelope = { stream: "messages", key: record.id, data, emitted_at: record.sent_at };
          batches.get(CONNECTIONS[number % CONNECTIONS.length] as string)?.push(envelope);
        }
        for (const [id, batch] of batches)
          if (batch.length > 0) await store.ingest(owner.owner_id, id, batch as never);
        count += Math.min(BATCH, size - count);
      }
      await store.tidy(owner.owner_id);
    },
  };
}

/** Writes the audit rows of agents for the last days, evenly spread. */
export async function writeAuditLog({ store, owner_id, now }: OwnerContext, requests: number): Promise<void> {
  const start_ms = now() - AUDIT_DAYS * 24 * 60 * 60 * 1000;
  const rows = Array.from({ length: requests }, (_, at) => ({
    at: new Date(start_ms + (at / requests) * (now() - start_ms)).toISOString(),
    request_id: `bench-${at}`,
    client_id: AGENTS[at % AGENTS.length] as string,
    operation: at % 4 === 0 ? "search" : "fetch",
    status: at % 50 === 0 ? 403 : 200,
    connection_id: CONNECTIONS[at % CONNECTIONS.length],
    stream: "messages",
    records: 5,
    bytes: 4_000,
  }));
  for (let at = 0; at < rows.length; at += BATCH)
    await store.appendAudit(owner_id, rows.slice(at, at + BATCH));
}
