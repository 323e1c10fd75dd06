import { ApiError, type ImportedItem } from "@rungs/contract";
import { PROGRAM_VERSION } from "../settings/version.ts";
import { type BatchTarget, collectBatches, type PendingItem, writeBatch } from "./batch.ts";
import { createTally, type ItemPlace, type Tally } from "./tally.ts";

/** Where the items of an import go, and how it is taken up again. */
export interface ImportTarget extends BatchTarget<ItemPlace> {
  readonly now: () => number;
  /** What says that another run reads the same files in the same way; no two different ones share it. */
  readonly identity: string;
  /** Given: the batch that was begun is written, and the import ends there until it is run again. */
  readonly stop?: AbortSignal | undefined;
}

/** How an import ended. */
export interface ImportResult {
  /** Of the whole import: an earlier run that was taken up is counted too. */
  readonly tally: Tally<ItemPlace>;
  readonly is_resumed: boolean;
  readonly is_finished: boolean;
}

/** How far an import is: what was stored, and where reading goes on. */
export interface ImportProgress {
  readonly checkpoint: string;
  readonly tally: Tally<ItemPlace>;
}

const KIND = "import";

const KEPT_MS = 90 * 86_400_000;

/**
 * Stores the items of an import, batch by batch, and remembers after each how far it is. Killed at any point and run
 * again it ends in the same database; run again after its end it changes nothing.
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
  const candidates = toCandidates(untilFailure(read(earlier?.checkpoint), failures), emitted_at);
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
 * The run to take up. One that refused more than is remembered is not, when somebody wants to hear of each: beginning
 * anew finds them all, and what is stored is unchanged.
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

/** Works on one batch while the next is read: a database of its own works beside this process. */
async function overlapBatches<T>(
  batches: AsyncIterable<T>,
  work: (batch: T) => Promise<void>,
): Promise<void> {
  let last = Promise.resolve();
  for await (const batch of batches) {
    await last;
    last = work(batch);
    // Its failure is thrown where it is awaited; until then it is not unheard.
    last.catch(() => undefined);
  }
  await last;
}

/** What was read before a failure is worth keeping: the same failure may come at the same place each time. */
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
      yield { place: { place }, checkpoint, size_bytes: estimateBytes(data), record };
    }
  }
}

/** Remembers in the database how far one import is. Another version of the program may read otherwise, so it begins anew. */
function createProgressKeeper({ store, owner_id, connection_id, identity, now }: ImportTarget) {
  const id = [PROGRAM_VERSION, connection_id, identity].join("/");
  return {
    async find(): Promise<ImportProgress | undefined> {
      const state = await store.getState(owner_id, KIND, id);
      // Nothing but `save` writes under this id.
      return state?.value as ImportProgress | undefined;
    },
    save: (value: ImportProgress) =>
      store.putState(owner_id, { kind: KIND, id, value, expires_at_ms: now() + KEPT_MS }),
    forget: () => store.deleteState(owner_id, KIND, id),
  };
}

/** About how many bytes a value holds: enough to know when a batch is full, without writing the value out. */
function estimateBytes(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + estimateBytes(part) + 8, 0);
}
