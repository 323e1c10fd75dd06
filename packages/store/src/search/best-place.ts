/** A match of a clause at a character offset or a token position. */
export interface Placed {
  readonly at: number;
  readonly clause: number;
}

/**
 * The first match of the place where the clauses within `span` weigh most; ties go to the closest together, then the
 * earliest. A clause weighs more the fewer matches it has here.
 */
export function bestPlace<T extends Placed>(matches: readonly T[], span: number): T | undefined {
  const counts = new Map<number, number>();
  for (const { clause } of matches) counts.set(clause, (counts.get(clause) ?? 0) + 1);
  let best: { readonly first: T; readonly weight: number; readonly width: number } | undefined;
  for (const [start, first] of matches.entries()) {
    const { weight, width } = measureFrom(matches, start, span, counts);
    if (!best || weight > best.weight || (weight === best.weight && width < best.width)) {
      best = { first, weight, width };
    }
  }
  return best?.first;
}

/** The weight of the clauses within `span` of a match, and how far away the last of them first occurs. */
function measureFrom(
  matches: readonly Placed[],
  start: number,
  span: number,
  counts: ReadonlyMap<number, number>,
): { weight: number; width: number } {
  const from = (matches[start] as Placed).at;
  const seen = new Set<number>();
  let width = 0;
  let weight = 0;
  for (let number = start; number < matches.length; number += 1) {
    const { at, clause } = matches[number] as Placed;
    if (at - from > span) break;
    if (seen.has(clause)) continue;
    seen.add(clause);
    weight += 1 + 1 / (counts.get(clause) as number);
    width = at - from;
  }
  return { weight, width };
}
