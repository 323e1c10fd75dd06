/** A match of a clause at a place: a character or a token position. */
export interface Placed {
  readonly at: number;
  readonly clause: number;
}

/** The first match of the stretch of at most `span` that has the most different clauses; earliest where several do. */
export function bestPlace<T extends Placed>(matches: readonly T[], span: number): T | undefined {
  let best: T | undefined;
  let bestCount = 0;
  const inside = new Map<number, number>();
  let end = 0;
  for (const [start, first] of matches.entries()) {
    while (end < matches.length && (matches[end] as T).at - first.at <= span) {
      const { clause } = matches[end] as T;
      inside.set(clause, (inside.get(clause) ?? 0) + 1);
      end += 1;
    }
    if (inside.size > bestCount) {
      bestCount = inside.size;
      best = first;
    }
    const left = (inside.get(first.clause) ?? 1) - 1;
    if (left === 0) inside.delete(first.clause);
    else inside.set(first.clause, left);
    if (end <= start) end = start + 1;
  }
  return best;
}
