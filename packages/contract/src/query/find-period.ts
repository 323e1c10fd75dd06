/** Finds the time that a question names, and offers to narrow the search to it (R68). */
import type { Continuation, SearchPage } from "@rungs/evidence";

/** A time as `since` and `until` take it, and as the question writes it. */
export interface NamedPeriod {
  readonly text: string;
  readonly since: string;
  readonly until: string;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = String.raw`(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const YEAR = String.raw`(?<year>(?:19|20)\d\d)`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;

/** The most exact forms first, since a date contains a year. */
const FORMS = [
  String.raw`${YEAR}-(?<month>\d\d)(?:-(?<day>\d\d))?`,
  `${DAY} (?:of )?${MONTH},? ${YEAR}`,
  `${MONTH} ${DAY},? ${YEAR}`,
  `${MONTH},? (?:of )?${YEAR}`,
  String.raw`(?<=\b(?:in|during|of|year) )${YEAR}`,
].map((form) => new RegExp(String.raw`(?<![\p{L}\p{N}-])${form}(?![\p{L}\p{N}-])`, "iu"));

/**
 * The same search within the time that its question names; undefined if it is already narrowed, or no hit lies outside
 * that time.
 */
export function offerPeriod(
  { data }: SearchPage,
  { operation, args }: Continuation,
): { readonly text: string; readonly call: Continuation } | undefined {
  const isNarrowed = ["since", "until", "cursor"].some((name) => args[name] !== undefined);
  const period = isNarrowed ? undefined : findAskedPeriod(args);
  if (!period) return undefined;
  const { text, since, until } = period;
  const isOutside = data.some(({ event_time: at }) => at && (at < since || at >= until));
  return isOutside ? { text, call: { operation, args: { ...args, since, until } } } : undefined;
}

/** The time that the question of a search names. */
export function findAskedPeriod({ query, q = query }: Continuation["args"]): NamedPeriod | undefined {
  return typeof q === "string" ? findPeriod(q) : undefined;
}

/** The day, month or year that a text names in English or as an ISO date; undefined without a year, or if there are two. */
export function findPeriod(text: string): NamedPeriod | undefined {
  for (const form of FORMS) {
    const found = form.exec(text);
    if (!found?.groups) continue;
    const rest = text.slice(found.index + found[0].length);
    return FORMS.some((other) => other.test(rest)) ? undefined : toPeriod(found[0], found.groups);
  }
  return undefined;
}

function toPeriod(
  text: string,
  { year, month, day }: Record<string, string | undefined>,
): NamedPeriod | undefined {
  const at =
    month === undefined
      ? 0
      : /\d/.test(month)
        ? Number(month) - 1
        : MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  const start = new Date(Date.UTC(Number(year), at, Number(day ?? 1)));
  if (start.getUTCMonth() !== at) return undefined;
  const end = new Date(start);
  if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1);
  else if (month !== undefined) end.setUTCMonth(at + 1);
  else end.setUTCFullYear(Number(year) + 1);
  return { text, since: toDate(start), until: toDate(end) };
}

function toDate(time: Date): string {
  return time.toISOString().slice(0, 10);
}
