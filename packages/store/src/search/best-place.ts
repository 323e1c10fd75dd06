/** A match of a clause at a place: a character or a token position. */
export interface Placed {
  readonly at: number;
  readonly clause: number;
}

/** The first match of the place with the most different clauses within `span`; the closest together, then the earliest. */
export function bestPlace<T extends Placed>(matches: readonly T[], span: number): T | undefined {
  let best: { readonly first: T; readonly clauses: number; readonly width: number } | undefined;
  for (const [start, first] of matches.entries()) {
    const { clauses, width } = measureFrom(matches, start, span);
    if (!best || clauses > best.clauses || (clauses === best.clauses && width < best.width)) {
      best = { first, clauses, width };
    }
  }
  return best?.first;
}

/** How many clauses there are within `span` of a match, and how far on the last of them first occurs. */
function measureFrom(
  matches: readonly Placed[],
  start: number,
  span: number,
): { clauses: number; width: number } {
  const from = (matches[start] as Placed).at;
  const seen = new Set<number>();
  let width = 0;
  for (let number = start; number < matches.length; number += 1) {
    const { at, clause } = matches[number] as Placed;
    if (at - from > span) break;
    if (seen.has(clause)) continue;
    seen.add(clause);
    width = at - from;
  }
  return { clauses: seen.size, width };
}
