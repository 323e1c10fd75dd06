/** Keeps answers within limits, in UTF-8 bytes, so that no host truncates them or spills them into a file. */

import { findMostDetail } from "@rungs/contract";

/** `structuredContent` as JSON; one host, which shows nothing else, truncates at 12,000. */
export const STRUCTURED_BYTES = 11_000;

/** The text block; together with `structuredContent` it stays below what the tightest host shows of both. */
export const TEXT_BYTES = 7_000;

const BOTH_BYTES = 18_000;

/** The byte budget for the text of a page. A page of one record gets more, so that a long id never drops the record. */
export function budgetPageText(structured: { readonly results?: unknown }): number {
  const isOne = Array.isArray(structured.results) && structured.results.length === 1;
  return isOne ? Math.max(TEXT_BYTES, BOTH_BYTES - countJson(structured)) : TEXT_BYTES;
}

/** The bytes of a value as JSON. */
export function countJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Whether both halves of an answer fit. */
export function fitsBoth({ text, structured }: { text: string; structured: unknown }): boolean {
  return countJson(structured) <= STRUCTURED_BYTES && Buffer.byteLength(text) <= TEXT_BYTES;
}

/** The answer with as many of `most` items as fit; at least one. */
export function findLargest<A extends { text: string; structured: unknown }>(
  most: number,
  show: (count: number) => A,
): A {
  let [least, tooMany] = [1, most + 1];
  while (tooMany - least > 1) {
    const middle = (least + tooMany) >> 1;
    if (fitsBoth(show(middle))) least = middle;
    else tooMany = middle;
  }
  return show(least);
}

/** A page of an envelope. */
interface Page {
  readonly data: readonly unknown[];
}

/** Room for the cursor that only the smaller page has. */
const CURSOR_BYTES = 800;

/**
 * Requests a page whose structured form fits: retries with a smaller one if the first does not. The envelope stays the
 * server's own, and its cursor continues where it ends (R14, R15).
 */
export async function fitStructured<P extends Page>(
  limit: number,
  ask: (limit: number) => Promise<P>,
  structure: (page: P) => unknown,
): Promise<P> {
  const page = await ask(limit);
  if (page.data.length <= 1 || countJson(structure(page)) <= STRUCTURED_BYTES) return page;
  return ask(countFitting(page, structure));
}

/** A page in both forms. */
export interface FittedPage<P> {
  readonly page: P;
  readonly structured: Members;
  readonly text: string;
}

/** How a page is requested and written. */
interface PageForms<P> {
  readonly ask: (limit: number) => Promise<P>;
  readonly structure: (page: P) => Structured;
  readonly render: (page: P, budget_bytes: number) => string;
}

/** Requests a page that fits in both forms: where the text has no room for all records, a smaller one. */
export async function fitBoth<P extends Page>(
  limit: number,
  { ask, structure, render }: PageForms<P>,
): Promise<FittedPage<P>> {
  const write = (page: P) => {
    const structured = leaveOut(structure(page));
    return { page, structured, text: render(page, budgetPageText(structured)) };
  };
  let fitted = write(await fitStructured(limit, ask, structure));
  for (
    let { asked, shown } = countShown(fitted);
    asked > 1 && shown < asked;
    { asked, shown } = countShown(fitted)
  )
    fitted = write(await ask(Math.max(1, Math.min(shown, asked - 1))));
  return fitted;
}

/** How many records a page has, and how many of their ids the text has. */
function countShown({ structured, text }: FittedPage<unknown>): { asked: number; shown: number } {
  const lines = new Set(text.split("\n"));
  const results = (structured.results ?? []) as readonly { readonly id: string }[];
  return { asked: results.length, shown: results.filter(({ id }) => lines.has(id)).length };
}

function countFitting<P extends Page>(page: P, structure: (page: P) => unknown): number {
  const isWithin = (count: number) => {
    const bytes = countJson(structure({ ...page, data: page.data.slice(0, count) }));
    return bytes + CURSOR_BYTES <= STRUCTURED_BYTES;
  };
  return findMostDetail({ least: 1, most: page.data.length - 1 }, isWithin) ?? 1;
}

type Members = Readonly<Record<string, unknown>>;

interface Rung extends Members {
  readonly fields: readonly unknown[];
}

interface Structured extends Members {
  readonly results?: readonly Members[];
  readonly metadata?: Members;
  readonly text?: string;
  readonly left_out?: readonly string[];
  readonly content_ladder: { readonly records: readonly Rung[] };
}

/** Members to drop when even one record is too large, first to last; the rest of the answer repeats them. */
const SPARED: Readonly<Record<string, (from: Structured) => Structured>> = {
  data: ({ data: _, ...rest }) => rest,
  record_id: ({ results, metadata, ...rest }) => ({
    ...(results && { results: results.map(omitKey) }),
    ...(metadata && { metadata: omitKey(metadata) }),
    ...changeRungs(rest, (rungs) => rungs.map(omitKey)),
  }),
  calls: (from) => changeRungs(from, (rungs) => rungs.map(keepOneCall)),
  rungs: (from) => changeRungs(from, () => []),
};

/** Leaves out as little as necessary and names it in `left_out`. */
export function leaveOut(structured: Structured): Members {
  let rest = structured;
  const left_out = [...(structured.left_out ?? [])];
  for (const [name, spare] of Object.entries(SPARED)) {
    if (countJson({ ...rest, left_out }) <= STRUCTURED_BYTES) break;
    rest = spare(rest);
    if (!left_out.includes(name)) left_out.push(name);
  }
  return rest === structured ? structured : { ...rest, left_out };
}

function changeRungs(from: Structured, change: (rungs: readonly Rung[]) => readonly Rung[]): Structured {
  const { content_ladder, ...rest } = from;
  return { ...rest, content_ladder: { ...content_ladder, records: change(content_ladder.records) } };
}

function omitKey<M extends Members>(members: M): M {
  const { record_id: _, ...rest } = members;
  return rest as unknown as M;
}

function keepOneCall(rung: Rung): Rung {
  const { next: _, ...rest } = rung;
  return rung.fields.length === 0 ? rung : { ...rest, fields: rung.fields.slice(0, 1) };
}
