/** How many pages of one owner are made at once: none of them waits for those of another (R56). */
import { createTurns, type Turn } from "@rungs/server";

/** What a browser asks for at once, such as the pictures of a page, waits. */
const LIMITS = { at_once: 3, waiting: 200 };

export interface PageTurns {
  /** Before the session of a secret is looked up, valid or not. */
  takeLookup(request: Request): Promise<Turn>;
  takePage(owner_id: string, request: Request): Promise<Turn>;
}

/** Creates the turns of all owners of a server. */
export function createPageTurns(): PageTurns {
  const [takeLookup, takePage] = [createTurns(LIMITS), createTurns(LIMITS)];
  return {
    takeLookup({ headers, signal }) {
      const secret = `${headers.get("Cookie")} ${headers.get("Authorization")}`;
      return takeLookup(secret, signal);
    },
    takePage: (owner_id, { signal }) => takePage(owner_id, signal),
  };
}
