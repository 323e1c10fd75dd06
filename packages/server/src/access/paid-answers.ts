/**
 * Answers that were counted against a budget, so that a client that asks for the same answer again, only shorter, does not pay for it
 * twice (R83). MCP does so when a page does not fit what hosts show.
 */
import type { BudgetLeft } from "@rungs/contract";
import type { BudgetMeter } from "./budget.ts";

const KEPT_MS = 10_000;
const MAX_KEPT = 1_000;

/** An answer as it was counted. */
interface PaidAnswer {
  /** Who asked for what, but for the limit. */
  readonly asked: string;
  readonly limit: number;
  readonly records: number;
  readonly bytes: number;
  readonly at_ms: number;
}

export class PaidAnswers {
  readonly #paid = new Map<string, PaidAnswer>();

  /** Remembers an answer for a short time. */
  keep(request_id: string, answer: PaidAnswer): void {
    this.#paid.set(request_id, answer);
    const [oldest] = this.#paid.keys();
    if (this.#paid.size > MAX_KEPT && oldest !== undefined) this.#paid.delete(oldest);
  }

  /** Whether an answer is a shorter form of one that was paid. Each is replaced once. */
  takeShortened(request_id: string | undefined, answer: PaidAnswer): boolean {
    const paid = request_id === undefined ? undefined : this.#paid.get(request_id);
    if (request_id === undefined || !paid) return false;
    this.#paid.delete(request_id);
    return (
      paid.asked === answer.asked &&
      answer.at_ms - paid.at_ms <= KEPT_MS &&
      answer.limit < paid.limit &&
      answer.records <= paid.records &&
      answer.bytes <= paid.bytes
    );
  }
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
    const isPaid = paid?.takeShortened(shortens, whole) ?? false;
    const left = isPaid ? await budget.spend(0, 0) : await budget.spend(records - counted, bytes);
    paid?.keep(request_id, whole);
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
    asked: JSON.stringify([digest, name, rest]),
    limit: typeof limit === "number" ? limit : Number.NaN,
    at_ms,
  };
}
