/**
 * Answers that were counted against a budget, so that a client that asks for the same answer again, only shorter, does not pay for it
 * twice (R83). MCP does so when a page does not fit what hosts show.
 */
import type { BudgetLeft } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { digestToken } from "./bearer.ts";
import type { BudgetMeter } from "./budget.ts";

const KEPT_MS = 10_000;

/** An answer as it was counted. */
interface PaidAnswer {
  /** A digest of who asked for what, but for the limit. */
  readonly asked: string;
  readonly limit: number;
  readonly records: number;
  readonly bytes: number;
  readonly at_ms: number;
}

/** The answers of an owner's clients, which the servers of a database share. Each is replaced once. */
export interface PaidAnswers {
  /** Remembers an answer for a short time. */
  keep(request_id: string, answer: PaidAnswer): Promise<void>;
  /** Whether an answer is a shorter form of one that was paid. */
  takeShortened(request_id: string, answer: PaidAnswer): Promise<boolean>;
}

/** Opens the paid answers of an owner. */
export function openPaidAnswers(store: Pick<Store, "changeShared">, owner_id: string): PaidAnswers {
  const name = (request_id: string) => `paid ${digestToken(request_id)}`;
  return {
    keep: (request_id, value) =>
      store.changeShared(owner_id, name(request_id), () => ({ value, kept_ms: KEPT_MS, result: undefined })),
    takeShortened: (request_id, answer) =>
      store.changeShared(owner_id, name(request_id), (value) => {
        const paid = value as PaidAnswer | undefined;
        return { value: undefined, kept_ms: 0, result: paid !== undefined && isShorter(answer, paid) };
      }),
  };
}

function isShorter(answer: PaidAnswer, paid: PaidAnswer): boolean {
  return (
    paid.asked === answer.asked &&
    answer.at_ms - paid.at_ms <= KEPT_MS &&
    answer.limit < paid.limit &&
    answer.records <= paid.records &&
    answer.bytes <= paid.bytes
  );
}

/** An answer that may be a shorter form of one that was paid, or be shortened in turn. */
interface Shortening {
  readonly paid: PaidAnswers | undefined;
  readonly request_id: string;
  readonly shortens: string | undefined;
  readonly answer: Omit<PaidAnswer, "records" | "bytes">;
}

/** Counts the bytes of an answer as they are sent, with the records that were read since the last time. */
export function createSpending(
  budget: BudgetMeter,
  count: () => number,
  { paid, request_id, shortens, answer }: Shortening,
): (bytes: number) => Promise<BudgetLeft | undefined> {
  let counted = 0;
  return async (bytes) => {
    const records = count();
    const whole = { ...answer, records, bytes };
    const isPaid = shortens !== undefined && ((await paid?.takeShortened(shortens, whole)) ?? false);
    const left = isPaid ? await budget.spend(0, 0) : await budget.spend(records - counted, bytes);
    await paid?.keep(request_id, whole);
    counted = records;
    return left;
  };
}

/** What tells that two requests ask for the same, one for less. */
export function describeAsked(
  digest: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  at_ms: number,
): Shortening["answer"] {
  const { limit, ...rest } = input;
  return {
    asked: digestToken(JSON.stringify([digest, name, rest])),
    limit: typeof limit === "number" ? limit : Number.NaN,
    at_ms,
  };
}
