/**
 * Infers the order of day, month and year in a file, which nothing states, but which all dates together usually reveal.
 */
import type { Stamp } from "./stamp.ts";

/** An order of day, month and year. */
export type DateOrder = "day/month/year" | "month/day/year" | "year/month/day";

/** The position of each number in the written date. */
const PARTS: Readonly<Record<DateOrder, readonly [year: number, month: number, day: number]>> = {
  "day/month/year": [2, 1, 0],
  "month/day/year": [2, 0, 1],
  "year/month/day": [0, 1, 2],
};

const ORDERS = Object.keys(PARTS) as DateOrder[];

/** The local time of a stamp in milliseconds, read as UTC; undefined if the order makes it an invalid date. */
export function readLocalMs({ date, hour, minute, second }: Stamp, order: DateOrder): number | undefined {
  const [year = "", month = "", day = ""] = PARTS[order].map((at) => date[at] ?? "");
  // No phone writes a year of two digits first.
  const isYear = year.length === 4 || (year.length === 2 && order !== "year/month/day");
  if (!isYear || month.length > 2 || day.length > 2) return undefined;
  const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year);
  const timeMs = Date.UTC(fullYear, Number(month) - 1, Number(day), hour, minute, second);
  const read = new Date(timeMs);
  return read.getUTCMonth() === Number(month) - 1 && read.getUTCDate() === Number(day) ? timeMs : undefined;
}

/** The score of an order for the dates so far. */
interface Case {
  readonly order: DateOrder;
  impossible: number;
  backward: number;
  spanMs: number;
  lastMs: number | undefined;
}

/** The order, and the reason for it. */
export interface Verdict {
  readonly order: DateOrder;
  readonly reason: string;
}

/** Evaluates the stamps of a file one by one without holding them. */
export function createOrderVote(): { add(stamp: Stamp): void; decide(): Verdict } {
  const cases = ORDERS.map(
    (order): Case => ({ order, impossible: 0, backward: 0, spanMs: 0, lastMs: undefined }),
  );
  return {
    add: (stamp) => {
      for (const each of cases) score(each, readLocalMs(stamp, each.order));
    },
    decide: () => {
      const [best, next] = cases.toSorted(compare);
      return { order: best!.order, reason: explain(best!, next!) };
    },
  };
}

function score(each: Case, timeMs: number | undefined): void {
  if (timeMs === undefined) each.impossible += 1;
  else {
    const step = timeMs - (each.lastMs ?? timeMs);
    if (step < 0) each.backward += 1;
    each.spanMs += Math.abs(step);
    each.lastMs = timeMs;
  }
}

/** The sort is stable, so day first wins when nothing favours another order. */
function compare(a: Case, b: Case): number {
  return a.impossible - b.impossible || a.backward - b.backward || a.spanMs - b.spanMs;
}

function explain(best: Case, next: Case): string {
  if (best.impossible < next.impossible) return "in any other order some would not be valid dates";
  if (best.backward < next.backward) return "in any other order more messages would go back in time";
  if (best.spanMs < next.spanMs) return "another order is possible, but would put the messages further apart";
  return "another order is as likely; check the dates";
}
