/** The owner's choice of what compares texts by meaning, and the worker that brings the vectors up to date with it (R65). */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import type { EmbeddingChoice, EmbeddingStatus } from "@rungs/store";
import { recordEvent } from "./audit-events.ts";
import { repeatForEachOwner } from "./each-owner.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Chooses the built-in vectors, a service, or nothing. */
export async function chooseEmbeddings(
  owner: OwnerContext,
  choice: EmbeddingChoice,
): Promise<EmbeddingStatus> {
  await owner.store.chooseEmbeddings(owner.owner_id, choice);
  await recordEvent(owner, choice.kind === "endpoint" ? "embeddings_service_chosen" : "embeddings_chosen");
  return describeEmbeddings(owner);
}

/** What compares texts by meaning, and how many records have vectors. */
export function describeEmbeddings({ store, owner_id }: OwnerContext): Promise<EmbeddingStatus> {
  return store.describeEmbeddings(owner_id);
}

/** How long the worker waits: after it had nothing to do, while another process works, and after failures. */
const WAIT_MS = { idle: 5_000, busy: 1_000, least: 1_000, most: 300_000 };

/** Callbacks of a run of the worker, and the signal that stops it. */
export interface EmbeddingRun {
  readonly signal?: AbortSignal | undefined;
  /** When it aborts, the run finishes its current step and ends. */
  readonly turn?: AbortSignal | undefined;
  readonly onStep?: () => void;
  /** The sentence that says why the service gave no vectors. */
  readonly onFailure?: (message: string) => void;
}

/** Embeds until every record has its vectors; false when nothing is to be compared by meaning. Retries with backoff. */
export async function embedRecords(owner: OwnerContext, run: EmbeddingRun): Promise<boolean> {
  const worker = randomUUID();
  let failures = 0;
  while (!run.signal?.aborted && !run.turn?.aborted) {
    try {
      const { state } = await owner.store.embedNext(owner.owner_id, worker, { signal: run.signal });
      failures = 0;
      if (state === "off") return false;
      if (state === "complete") return true;
      if (state === "busy") await pause(WAIT_MS.busy, run.signal);
      run.onStep?.();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "embeddings_unavailable") throw error;
      if (run.signal?.aborted) break;
      run.onFailure?.(error.message);
      if (run.turn?.aborted) break;
      await pause(computeBackoff(failures), run.signal);
      failures += 1;
    }
  }
  return true;
}

/** How many steps an owner gets before it is the next one's turn. */
const TURN_STEPS = 8;

/** Embeds what owners write and choose, until the signal aborts. A failing service delays only its own owner. */
export function keepEmbedding(context: OwnerContext, signal: AbortSignal): Promise<void> {
  const failed = new Map<string, { readonly count: number; readonly until_ms: number }>();
  return repeatForEachOwner(context, WAIT_MS.idle, signal, async (owner) => {
    const { owner_id, now } = owner;
    const before = failed.get(owner_id);
    if (before && now() < before.until_ms) return false;
    let steps = 0;
    const turn = new AbortController();
    const onStep = () => {
      steps += 1;
      if (steps === TURN_STEPS) turn.abort();
    };
    const onFailure = () => {
      const count = (before?.count ?? 0) + 1;
      failed.set(owner_id, { count, until_ms: now() + computeBackoff(count - 1) });
      turn.abort();
    };
    await embedRecords(owner, { signal, turn: turn.signal, onStep, onFailure });
    if (before && failed.get(owner_id) === before) failed.delete(owner_id);
    return steps === TURN_STEPS;
  });
}

function computeBackoff(failures: number): number {
  return Math.min(WAIT_MS.least * 2 ** failures, WAIT_MS.most);
}

async function pause(duration_ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(duration_ms, undefined, { signal, ref: false }).catch(() => undefined);
}
