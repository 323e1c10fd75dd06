/** How many uploads an owner has on the server's disk, and how many are imported at once: each takes a process and its memory (R57). */
import { ApiError } from "@rungs/contract";
import { createTurns, type Turn } from "@rungs/server";

/** Uploads of one owner that are being received, queued or imported. */
const UPLOADS = 4;
/** Imports of one owner, and of all owners of a server. */
const IMPORTS_OF_OWNER = 2;
const IMPORTS = 4;

export interface ImportTurns {
  /** Before the first byte of an upload; throws `rate_limited` while the owner has enough of them. */
  takeUpload(owner_id: string): Promise<Turn>;
  /** Waits until the upload's import may start. Owners take turns. */
  takeImport(owner_id: string, signal: AbortSignal): Promise<Turn>;
}

/** Creates the turns of all owners of a server. */
export function createImportTurns(): ImportTurns {
  const takeUpload = createTurns({ at_once: UPLOADS, waiting: 0 });
  const takeOfOwner = createTurns({ at_once: IMPORTS_OF_OWNER, waiting: UPLOADS });
  const takeOfAll = createTurns({ at_once: IMPORTS, waiting: Number.POSITIVE_INFINITY });
  const never = new AbortController().signal;
  return {
    takeUpload: (owner_id) =>
      takeUpload(owner_id, never).catch(() => {
        throw new ApiError("rate_limited", {
          message: `${UPLOADS} uploads are being received and imported already.`,
          next: "Wait until one of them is done, then send this one again.",
          retry_after_seconds: 60,
        });
      }),
    async takeImport(owner_id, signal) {
      const own = await takeOfOwner(owner_id, signal);
      try {
        const { hasWaited, end } = await takeOfAll("", signal);
        return {
          hasWaited: own.hasWaited || hasWaited,
          end() {
            end();
            own.end();
          },
        };
      } catch (error) {
        own.end();
        throw error;
      }
    },
  };
}
