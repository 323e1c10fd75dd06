/** Stores the changes of a source, batch by batch, each in one transaction with its items and cursors. */
import type { ImportedRecord, RecordEnvelope } from "@rungs/contract";
import type { IngestOutcome, SyncCursor, SyncItem, SyncItemPlace, SyncLease } from "@rungs/store";
import type { LiveSource, SourceChange } from "../live-source.ts";
import type { SyncOwner } from "./sync-owner.ts";

/** A batch is one transaction, held in memory as a whole. */
const BATCH_RECORDS = 500;
const BATCH_CHANGES = 2_000;
const BATCH_CHARS = 4 * 1024 ** 2;

/** Where changes go. */
export interface ChangeTarget {
  readonly owner: SyncOwner;
  readonly lease: SyncLease;
  readonly connection_id: string;
  readonly source: LiveSource;
  readonly keeps_deleted: boolean;
  readonly batch_changes?: number | undefined;
  /** Reads a stored record whole; undefined when the owner deleted it. */
  readRecord(stream: string, record_id: string): Promise<ImportedRecord["data"] | undefined>;
  onBatch(outcomes: readonly IngestOutcome[], rejected: readonly RejectedChange[]): void;
}

/** An item that could not be read, or a record that cannot be stored. */
export type RejectedChange = Extract<SourceChange, { kind: "reject" | "drop" }>;

/**
 * Stores changes until there are no more, one batch while the next is read: a separate database process works in
 * parallel. If reading fails, everything read before the failure is stored.
 */
export async function storeChanges(
  changes: AsyncIterable<SourceChange>,
  target: ChangeTarget,
): Promise<void> {
  const { batch_changes = BATCH_CHANGES } = target;
  let batch: SourceChange[] = [];
  let [records, chars] = [0, 0];
  let storing = Promise.resolve();
  const flush = async () => {
    const full = batch;
    batch = [];
    [records, chars] = [0, 0];
    await storing;
    if (full.length === 0) return;
    storing = storeBatch(full, target);
    // The `await` throws the failure.
    storing.catch(() => undefined);
  };
  try {
    for await (const change of changes) {
      batch.push(change);
      if (change.kind === "put") {
        records += change.records.length;
        chars += change.records.reduce((sum, { data }) => sum + estimateChars(data), 0);
      } else if (change.kind === "record") {
        records += 1;
        chars += estimateChars(change.record);
      }
      if (records >= BATCH_RECORDS || chars >= BATCH_CHARS || batch.length >= batch_changes) await flush();
    }
  } catch (error) {
    await flush();
    await storing;
    throw error;
  }
  await flush();
  await storing;
}

async function storeBatch(changes: readonly SourceChange[], target: ChangeTarget): Promise<void> {
  const { owner, lease, connection_id } = target;
  const cursors = new Map<string, SyncCursor>();
  const last = new Map<string, ItemChange>();
  const plain: RecordEnvelope[] = [];
  const dropped: RejectedChange[] = [];
  for (const change of changes) {
    if (change.kind === "cursor") cursors.set(change.collection, change);
    else if (change.kind === "drop") dropped.push(change);
    else if (change.kind !== "record")
      last.set(nameItem(change), mergeChanges(last.get(nameItem(change)), change));
    else if (change.record.op !== "delete" || !target.keeps_deleted) plain.push(change.record);
  }
  const before = await readItems(target, [...last.values()]);
  // A server may report the state of every message whenever one changes.
  for (const [name, change] of last) {
    const known = before.get(name);
    if (change.kind !== "state" || JSON.stringify(known?.state) !== JSON.stringify(change.state)) continue;
    last.delete(name);
    before.delete(name);
  }
  const after = new Map<string, SyncItem>();
  for (const [name, change] of last) {
    const item = applyChange(before.get(name), change);
    if (item) after.set(name, item);
  }
  const removed = [...last].flatMap(([name, place]) => (after.has(name) ? [] : [toPlace(place)]));
  const records = await writeRecords({ before, after, last }, target);
  const batch = {
    connection_id,
    records: [...records, ...plain],
    items: [...after.values()],
    removed,
    cursors: [...cursors.values()].map(({ collection, cursor }) => ({ collection, cursor })),
  };
  const outcomes = await owner.store.writeSync(owner.owner_id, lease, batch);
  const rejected = [...last.values()].filter((change) => change.kind === "reject");
  // Not the record's key, which the owner may have written.
  const refused = outcomes.flatMap((each, at): RejectedChange[] =>
    each.status === "rejected"
      ? [{ kind: "drop", place: batch.records[at]?.stream ?? "", reason: each.message }]
      : [],
  );
  target.onBatch(outcomes, [...rejected, ...dropped, ...refused]);
}

type ItemChange = Exclude<SourceChange, { kind: "cursor" | "record" | "drop" }>;

/** A new state does not replace the content that came before it in the same batch. */
function mergeChanges(earlier: ItemChange | undefined, later: ItemChange): ItemChange {
  if (later.kind === "state" && earlier?.kind === "put") return { ...earlier, state: later.state };
  return later;
}

/** The item after a change; undefined when it is gone, or was never stored. */
function applyChange(before: SyncItem | undefined, change: ItemChange): SyncItem | undefined {
  const place = toPlace(change);
  switch (change.kind) {
    case "remove":
      return undefined;
    case "state":
      return before && { ...before, state: change.state };
    case "seen":
    case "reject":
      return { ...place, stream: "", record_id: "", others: [], state: change.state };
    case "put": {
      const [{ stream, key }, ...others] = change.records;
      return {
        ...place,
        stream,
        record_id: String(key),
        others: others.map((each) => [each.stream, String(each.key)] as const),
        state: change.state,
      };
    }
  }
}

/** The items of a batch: as stored, as they will be, and the changes between. */
interface ItemChanges {
  readonly before: ReadonlyMap<string, SyncItem>;
  readonly after: ReadonlyMap<string, SyncItem>;
  readonly last: ReadonlyMap<string, ItemChange>;
}

/** The envelopes of every record that the batch touches: a record lives as long as one item of the source is it. */
async function writeRecords(
  { before, after, last }: ItemChanges,
  target: ChangeTarget,
): Promise<RecordEnvelope[]> {
  const { owner, lease, source, keeps_deleted } = target;
  const read = new Map(
    [...last.values()].flatMap((change) =>
      change.kind === "put" ? [[String(change.records[0].key), change.records] as const] : [],
    ),
  );
  const touched = new Map(
    [...before.values(), ...after.values()].flatMap((item) =>
      item.record_id === "" ? [] : [[item.record_id, item] as const],
    ),
  );
  const stored = await owner.store.findSyncItems(owner.owner_id, lease.sync_id, [...touched.keys()]);
  const rest = stored.filter((item) => !last.has(nameItem(item)));
  const copies = Map.groupBy([...rest, ...after.values()], ({ record_id }) => record_id);
  const emitted_at = new Date(owner.now()).toISOString();
  const envelopes: RecordEnvelope[] = [];
  const drop = (stream: string, key: string) => envelopes.push({ stream, key, op: "delete", emitted_at });
  for (const [record_id, item] of touched) {
    const some = copies.get(record_id);
    const { stream, others } = item;
    if (!some) {
      if (keeps_deleted) continue;
      drop(stream, record_id);
      for (const [other, id] of others) drop(other, id);
      continue;
    }
    const [main, ...parts] = read.get(record_id) ?? [];
    const data = main?.data ?? (source.combine && (await target.readRecord(stream, record_id)));
    if (data) {
      const combined = source.combine?.(data, some) ?? data;
      envelopes.push({ stream, key: record_id, data: { ...combined }, emitted_at });
    }
    for (const { stream: other, key, data: part } of parts)
      envelopes.push({ stream: other, key: String(key), data: { ...part }, emitted_at });
    if (main && !keeps_deleted) for (const [other, id] of listDropped(stored, item)) drop(other, id);
  }
  return envelopes;
}

/** Records that belonged to an item and do so no longer. */
function listDropped(stored: readonly SyncItem[], item: SyncItem): (readonly [string, string])[] {
  const now = new Set(item.others.map(([stream, id]) => `${stream}/${id}`));
  const earlier = stored.find((each) => each.record_id === item.record_id);
  return earlier?.others.filter(([stream, id]) => !now.has(`${stream}/${id}`)) ?? [];
}

async function readItems(
  { owner, lease }: ChangeTarget,
  places: readonly SyncItemPlace[],
): Promise<Map<string, SyncItem>> {
  const found = new Map<string, SyncItem>();
  for (const [collection, some] of Map.groupBy(places, (place) => place.collection)) {
    const query = { collection, items: some.map(({ item }) => item) };
    for (const item of await owner.store.listSyncItems(owner.owner_id, lease.sync_id, query))
      found.set(nameItem(item), item);
  }
  return found;
}

function toPlace({ collection, item }: SyncItemPlace): SyncItemPlace {
  return { collection, item };
}

function nameItem({ collection, item }: SyncItemPlace): string {
  return JSON.stringify([collection, item]);
}

function estimateChars(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce<number>((sum, member) => sum + estimateChars(member) + 8, 0);
}
