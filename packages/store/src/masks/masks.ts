/** Masks as a partition's row names them: equal masks have equal texts. */
import type { StreamMasks } from "@rungs/contract";

/** Incremented when detectors find other values than before: copies are then made again. */
const DETECTORS_VERSION = 2;

const written = new WeakMap<StreamMasks, string>();

/** Null when nothing is masked. */
export function formatMasks(masks: StreamMasks | undefined): string | null {
  if (!masks) return null;
  const known = written.get(masks);
  if (known !== undefined) return known;
  const { fields, kinds = [], words = [], expressions = [] } = masks;
  const text = JSON.stringify({
    version: DETECTORS_VERSION,
    fields: sortUnique(fields),
    kinds: sortUnique(kinds),
    words: sortUnique(words),
    expressions: sortUnique(expressions),
  });
  written.set(masks, text);
  return text;
}

/** The masks of a text that `formatMasks` wrote. */
export function parseMasks(text: string): StreamMasks {
  const { version: _, ...masks } = JSON.parse(text);
  return masks;
}

/** The rules alone: streams that mask the same values give one value the same token. */
export function formatRules({ kinds = [], words = [], expressions = [] }: StreamMasks): string {
  return JSON.stringify([sortUnique(kinds), sortUnique(words), sortUnique(expressions)]);
}

function sortUnique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
