import { PROGRAM_VERSION } from "../version.ts";
import type { ImportTarget } from "./import-items.ts";
import type { ItemPlace, Tally } from "./tally.ts";

/** How far an import is: what was stored, and where reading goes on. */
export interface ImportProgress {
  readonly checkpoint: string;
  readonly tally: Tally<ItemPlace>;
}

const KIND = "import";
const KEPT_MS = 90 * 86_400_000;

/** Remembers in the database how far one import is. Another version of the program may read otherwise, so it begins anew. */
export function createProgressKeeper({ store, owner_id, connection_id, identity, now }: ImportTarget) {
  const id = [PROGRAM_VERSION, connection_id, identity].join("/");
  return {
    async find(): Promise<ImportProgress | undefined> {
      const state = await store.getState(owner_id, KIND, id);
      // Nothing but `save` writes under this id.
      return state?.value as ImportProgress | undefined;
    },
    save: (value: ImportProgress) =>
      store.putState(owner_id, { kind: KIND, id, value, expires_at_ms: now() + KEPT_MS }),
    forget: () => store.deleteState(owner_id, KIND, id),
  };
}
