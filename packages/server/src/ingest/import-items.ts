import { ApiError, type ImportedItem, isTooDeep } from "@rungs/contract";
import { PROGRAM_VERSION } from "../settings/version.ts";
import { type BatchTarget, collectBatches, type PendingItem, writeBatch } from "./batch.ts";
import { createTally, type ItemPlace, type Tally } from "./tally.ts";

/** Where the items of an import go, and how it is resumed. */
export interface ImportTarget extends BatchTarget<ItemPlace> {
  readonly now: () => number;
  /** Identifies runs that read the same files in the same way; different imports never share it. */
  readonly identity: string;
  /** When aborted, the import writes the current batch and stops; running it again resumes there. */
  readonly stop?: AbortSignal | undefined;
}

/** How an import ended. */
export interface ImportResult {
  /** Counts the whole import, including the earlier run that was resumed. */
  readonly tally: Tally<ItemPlace>;
  readonly is_resumed: boolean;
  readonly is_finished: boolean;
}

/** The progress of an import: what was stored, and where reading resumes. */
interface ImportProgress {
  readonly checkpoint: string;
  readonly tally: Tally<ItemPlace>;
}

const KIND = "import";
const KEPT_MS = 90 * 86_400_000;

/**
 * Stores the items of an import, batch by batch, with a checkpoint after each. Killed at any point and run again, it
 * leads to the same database; run again after its end, it changes nothing.
 */
export async function importItems(
  read: (resume: string | undefined) => AsyncIterable<ImportedItem>,
  target: ImportTarget,
): Promise<ImportResult> {
  const { store, owner_id, stop } = target;
  const keeper = createProgressKeeper(target);
  const earlier = await findEarlier(keeper, target);
  const tally = earlier?.tally ?? createTally();
  const emitted_at = new Date(target.now()).toISOString();
  const failures: unknown[] = [];
  const candidates = toCandidates(
    untilFailure(untilStopped(read(earlier?.checkpoint), stop), failures),
    emitted_at,
  );
  await overlapBatches(collectBatches(candidates, stop), async (batch) => {
    await writeBatch(batch, target, tally);
    const checkpoint = batch.findLast((each) => each.checkpoint !== undefined)?.checkpoint;
    if (checkpoint !== undefined) await keeper.save({ checkpoint, tally });
  });
  for (const failure of failures) throw failure;
  const is_finished = stop?.aborted !== true;
  if (is_finished) {
    await keeper.forget();
    await store.tidy(owner_id);
  }
  return { tally, is_resumed: earlier !== undefined, is_finished };
}

/**
 * The run to resume. If the caller wants every rejection, a run that rejected more than it remembers starts over: that
 * finds them all and leaves stored records unchanged.
 */
async function findEarlier(
  keeper: ReturnType<typeof createProgressKeeper>,
  { onRejected }: ImportTarget,
): Promise<ImportProgress | undefined> {
  const earlier = await keeper.find();
  if (!earlier || !onRejected) return earlier;
  const { rejected, rejections } = earlier.tally;
  if (rejected > rejections.length) return undefined;
  rejections.forEach(onRejected);
  return earlier;
}

/** Writes one batch while it reads the next: a separate database process works in parallel. */
async function overlapBatches<T>(
  batches: AsyncIterable<T>,
  work: (batch: T) => Promise<void>,
): Promise<void> {
  let last = Promise.resolve();
  for await (const batch of batches) {
    await last;
    last = work(batch);
    // The `await` throws the rejection; until then, this keeps Node from reporting it as unhandled.
    last.catch(() => undefined);
  }
  await last;
}

/** Ends when the import is stopped, even while an item is being read: extracting the text of a document may take a minute. */
async function* untilStopped<T>(items: AsyncIterable<T>, stop: AbortSignal | undefined): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let end: (result: IteratorResult<T>) => void = () => undefined;
  const onAbort = () => end({ done: true, value: undefined });
  stop?.addEventListener("abort", onAbort);
  try {
    while (stop?.aborted !== true) {
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        end = resolve;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    stop?.removeEventListener("abort", onAbort);
    // Not awaited: it would wait for the item that is being read.
    iterator.return?.()?.catch(() => undefined);
  }
}

/**
 * Stops at a failure and rethrows it later, so that the items before it are stored: the failure may recur at the same
 * place each time.
 */
async function* untilFailure<T>(items: AsyncIterable<T>, failures: unknown[]): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    failures.push(error);
  }
}

interface ImportCandidate extends PendingItem<ItemPlace> {
  readonly checkpoint: string | undefined;
}

async function* toCandidates(
  items: AsyncIterable<ImportedItem>,
  emitted_at: string,
): AsyncGenerator<ImportCandidate> {
  for await (const item of items) {
    const { place, checkpoint } = item;
    if (item.kind === "rejected") {
      const record = new ApiError("item_unreadable", { message: item.reason });
      yield { place: { place }, checkpoint, size_bytes: 0, record };
    } else {
      const { stream, key, data } = item;
      const record = { stream, key, data, emitted_at };
      const size_bytes = isTooDeep(data) ? 0 : estimateBytes(data);
      yield { place: { place }, checkpoint, size_bytes, record };
    }
  }
}

/** Keeps the progress of one import in the database. Another version of the program may read differently, so it starts over. */
function createProgressKeeper({ store, owner_id, connection_id, identity, now }: ImportTarget) {
  const id = [PROGRAM_VERSION, connection_id, identity].join("/");
  return {
    async find(): Promise<ImportProgress | undefined> {
      const state = await store.getState(owner_id, KIND, id);
      // Only `save` writes under this id.
      return state?.value as ImportProgress | undefined;
    },
    save: (value: ImportProgress) =>
      store.putState(owner_id, { kind: KIND, id, value, expires_at_ms: now() + KEPT_MS }),
    forget: () => store.deleteState(owner_id, KIND, id),
  };
}

/** Estimates the size of a value, without serializing it, to tell when a batch is full. */
function estimateBytes(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  const members = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((sum, member) => sum + estimateBytes(member) + 8, 0);
}
