/** Making `structuredContent` fit where even one record is too large: what the rest of it says too is left out. */
import { countJson, STRUCTURED_BYTES } from "./limits.ts";

type Members = Readonly<Record<string, unknown>>;

interface Rung extends Members {
  readonly fields: readonly unknown[];
}

interface Structured extends Members {
  readonly results?: readonly Members[];
  readonly metadata?: Members;
  readonly text?: string;
  readonly content_ladder: { readonly records: readonly Rung[] };
}

/** What can be spared, the first first. */
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

/** Leaves out as little as is needed, and names it in `left_out`. */
export function leaveOut(structured: Structured): Members {
  let rest = structured;
  const left_out: string[] = [];
  for (const [name, spare] of Object.entries(SPARED)) {
    if (countJson({ ...rest, left_out }) <= STRUCTURED_BYTES) break;
    rest = spare(rest);
    left_out.push(name);
  }
  return left_out.length === 0 ? structured : { ...rest, left_out };
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
