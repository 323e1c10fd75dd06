import { countJson, STRUCTURED_BYTES } from "./limits.ts";

/** A page of an envelope. */
interface Page {
  readonly data: readonly unknown[];
}

/** A cursor that only the smaller page has. */
const CURSOR_BYTES = 800;

/**
 * Asks for a page whose structured form fits. Where it does not, a smaller one is asked for: the envelope stays the
 * server's own, whole, and its cursor goes on where it ends (R14, R15).
 */
export async function fitPage<P extends Page>(
  limit: number,
  ask: (limit: number) => Promise<P>,
  structure: (page: P) => unknown,
): Promise<P> {
  const page = await ask(limit);
  if (page.data.length <= 1 || countJson(structure(page)) <= STRUCTURED_BYTES) return page;
  return ask(countFitting(page, structure));
}

function countFitting<P extends Page>(page: P, structure: (page: P) => unknown): number {
  for (let count = page.data.length - 1; count > 1; count -= 1) {
    const bytes = countJson(structure({ ...page, data: page.data.slice(0, count) }));
    if (bytes + CURSOR_BYTES <= STRUCTURED_BYTES) return count;
  }
  return 1;
}
