/** The budgets of a caller's grants (R83): each answer is charged before it is sent, and says what is left. */
import { ApiError, type BudgetLeft, type Grant, type GrantBudget } from "@rungs/contract";
import type { GrantUsage, Store } from "@rungs/store";
import { digestToken } from "./tokens.ts";

const DAY_MS = 86_400_000;

/** Counts what is read under the grants of one request. */
export interface BudgetMeter {
  /** Counts a read, or throws `budget_exhausted`; returns what is left, undefined without a budget. */
  spend(records: number, bytes: number): Promise<BudgetLeft | undefined>;
}

export interface MeteredCaller {
  readonly store: Store;
  readonly owner_id: string;
  readonly grants: readonly Grant[];
  readonly now: () => number;
}

/** Creates the meter of a request. A token of several grants spends the budget of each. */
export function createBudgetMeter({ store, owner_id, grants, now }: MeteredCaller): BudgetMeter {
  return {
    async spend(records, bytes) {
      const lefts: BudgetLeft[] = [];
      for (const { grant_id, budget } of grants) {
        if (!budget) continue;
        const now_ms = now();
        const read = { day: toDay(now_ms), records, bytes };
        const { is_spent, usage } = await store.spendBudget(owner_id, grant_id, budget, read);
        const left = measureLeft(budget, usage, now_ms);
        if (!is_spent) throw refuse(left, { records, bytes }, now_ms);
        lefts.push(left);
      }
      return lefts.length === 0 ? undefined : lefts.reduce(takeLeast);
    },
  };
}

/** Operations that show records, or reveal which exist. */
const READING: readonly string[] = [
  "search",
  "fetch",
  "list_records",
  "query_records",
  "read_record_field",
  "read_thread",
  "read_blob",
  "aggregate",
  "export",
];

/** Whether a budget can block an operation. */
export function isCounted(operation: string): boolean {
  return READING.includes(operation);
}

/**
 * Throws `budget_exhausted` when nothing is left, before anything is read: otherwise empty answers would still be
 * given, and a refusal would reveal that records exist.
 */
export async function requireBudgetLeft({ store, owner_id, grants, now }: MeteredCaller): Promise<void> {
  for (const { grant_id, budget } of grants) {
    if (!budget) continue;
    const now_ms = now();
    const left = measureLeft(budget, await store.getUsage(owner_id, grant_id, toDay(now_ms)), now_ms);
    const { records, bytes, records_today, bytes_today } = left;
    if ([records, bytes, records_today, bytes_today].includes(0))
      throw refuse(left, { records: 1, bytes: 1 }, now_ms);
  }
}

/** The UTC date of a time. */
export function toDay(now_ms: number): string {
  return new Date(now_ms).toISOString().slice(0, 10);
}

function measureLeft(budget: GrantBudget, usage: GrantUsage, now_ms: number): BudgetLeft {
  const left = (limit: number | undefined, used: number, name: string) =>
    limit === undefined ? {} : { [name]: Math.max(0, limit - used) };
  const isDaily = (budget.records_per_day ?? budget.bytes_per_day) !== undefined;
  return {
    ...left(budget.records, usage.records, "records"),
    ...left(budget.bytes, usage.bytes, "bytes"),
    ...left(budget.records_per_day, usage.day_records, "records_today"),
    ...left(budget.bytes_per_day, usage.day_bytes, "bytes_today"),
    ...(isDaily ? { resets_at: nextDay(now_ms) } : {}),
  };
}

function takeLeast(a: BudgetLeft, b: BudgetLeft): BudgetLeft {
  const least = (name: "records" | "bytes" | "records_today" | "bytes_today") => {
    const found = [a[name], b[name]].filter((left) => left !== undefined);
    return found.length === 0 ? {} : { [name]: Math.min(...found) };
  };
  const resets_at = a.resets_at ?? b.resets_at;
  return {
    ...least("records"),
    ...least("bytes"),
    ...least("records_today"),
    ...least("bytes_today"),
    ...(resets_at === undefined ? {} : { resets_at }),
  };
}

function nextDay(now_ms: number): string {
  return new Date((Math.floor(now_ms / DAY_MS) + 1) * DAY_MS).toISOString();
}

/** An exhausted total never resets; a daily limit does. */
function refuse(left: BudgetLeft, wanted: { records: number; bytes: number }, now_ms: number): ApiError {
  const isTotal =
    (left.records ?? Number.POSITIVE_INFINITY) < wanted.records ||
    (left.bytes ?? Number.POSITIVE_INFINITY) < wanted.bytes;
  const resets_at = isTotal ? undefined : left.resets_at;
  const next = "Ask for fewer records or a smaller window, or ask the owner for a new grant.";
  return new ApiError("budget_exhausted", {
    budget: { ...left },
    ...(resets_at === undefined
      ? { next }
      : {
          resets_at,
          retry_after_seconds: Math.ceil((Date.parse(resets_at) - now_ms) / 1000),
          next: `Ask for fewer records or a smaller window, or wait until ${resets_at}.`,
        }),
  });
}

/**
 * Answers already charged, so that a client that asks again for a shorter form of one does not pay twice. MCP does so
 * when a page exceeds what hosts show.
 */
const KEPT_MS = 10_000;

/** What a request asks for. */
interface AskedAnswer {
  /** A digest of the caller and the request, without the limit. */
  readonly asked: string;
  readonly limit: number;
  readonly at_ms: number;
}

/** An answer as it was charged. */
interface PaidAnswer extends AskedAnswer {
  readonly records: number;
  readonly bytes: number;
}

/** The answers of an owner's clients, shared by all servers of a database. Each is replaced once. */
export interface PaidAnswers {
  /** Whether a request asks for less of an answer that was charged recently. */
  isShortened(request_id: string, request: AskedAnswer): Promise<boolean>;
  /** Remembers an answer for a short time. */
  keep(request_id: string, answer: PaidAnswer): Promise<void>;
  /** Whether an answer is a shorter form of one already paid for. */
  takeShortened(request_id: string, answer: PaidAnswer): Promise<boolean>;
}

/** Opens the paid answers of an owner. */
export function openPaidAnswers(store: Pick<Store, "changeShared">, owner_id: string): PaidAnswers {
  const name = (request_id: string) => `paid ${digestToken(request_id)}`;
  return {
    isShortened: (request_id, request) =>
      store.changeShared(owner_id, name(request_id), (value) => {
        const paid = value as PaidAnswer | undefined;
        const result = paid !== undefined && asksForLess(request, paid);
        return { value, kept_ms: paid ? paid.at_ms + KEPT_MS - request.at_ms : 0, result };
      }),
    keep: (request_id, value) =>
      store.changeShared(owner_id, name(request_id), () => ({ value, kept_ms: KEPT_MS, result: undefined })),
    takeShortened: (request_id, answer) =>
      store.changeShared(owner_id, name(request_id), (value) => {
        const paid = value as PaidAnswer | undefined;
        return { value: undefined, kept_ms: 0, result: paid !== undefined && isShorter(answer, paid) };
      }),
  };
}

function asksForLess(request: AskedAnswer, paid: AskedAnswer): boolean {
  return paid.asked === request.asked && request.at_ms - paid.at_ms <= KEPT_MS && request.limit < paid.limit;
}

function isShorter(answer: PaidAnswer, paid: PaidAnswer): boolean {
  return asksForLess(answer, paid) && answer.records <= paid.records && answer.bytes <= paid.bytes;
}

/** An answer that may be a shorter form of a paid one, or be shortened in turn. */
interface Shortening {
  readonly paid: PaidAnswers | undefined;
  readonly request_id: string;
  readonly shortens: string | undefined;
  readonly answer: AskedAnswer;
}

/** Charges the bytes of an answer as they are sent, and the records read since the last call. */
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

/** Identifies requests that ask for the same, or for less of it. */
export function describeAsked(
  digest: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  at_ms: number,
): AskedAnswer {
  const { limit, ...rest } = input;
  return {
    asked: digestToken(JSON.stringify([digest, name, rest])),
    limit: typeof limit === "number" ? limit : Number.NaN,
    at_ms,
  };
}
