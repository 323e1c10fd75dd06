/** Uploads that the owner only inspected, kept for a while so that importing them needs no second upload. */
import { rm } from "node:fs/promises";

/** Uploaded files on disk, in a folder that only this user can read, and the form's fields. */
export interface Upload {
  /** The file, or the folder with all of them if there are several. */
  readonly path: string;
  /** The folder to remove afterwards. */
  readonly folder: string;
  readonly name: string;
  readonly label: string | undefined;
  readonly format: string | undefined;
  /** Whether to report the format and store nothing. */
  readonly is_look: boolean;
}

/** The kept uploads, by the import that inspected them. */
export interface KeptUploads {
  keep(import_id: string, upload: Upload): void;
  find(import_id: string): Upload | undefined;
  /** Hands an upload over: the caller removes it. Of several callers, one gets it. */
  take(import_id: string): Upload | undefined;
}

const KEPT_MS = 60 * 60 * 1000;
/** The maximum number kept, to save space: a new one evicts the oldest. */
const KEPT_MAX = 3;

/** Creates an empty list. Leftovers of an ended process are removed like any other upload. */
export function createKeptUploads(kept_ms = KEPT_MS): KeptUploads {
  const kept = new Map<string, { readonly upload: Upload; readonly timer: NodeJS.Timeout }>();

  function take(import_id: string): Upload | undefined {
    const entry = kept.get(import_id);
    clearTimeout(entry?.timer);
    kept.delete(import_id);
    return entry?.upload;
  }
  async function remove(import_id: string): Promise<void> {
    const upload = take(import_id);
    if (upload) await rm(upload.folder, { recursive: true, force: true }).catch(() => undefined);
  }
  return {
    take,
    find: (import_id) => kept.get(import_id)?.upload,
    keep(import_id, upload) {
      const timer = setTimeout(() => void remove(import_id), kept_ms);
      timer.unref();
      kept.set(import_id, { upload, timer });
      const [oldest] = kept.keys();
      if (kept.size > KEPT_MAX && oldest !== undefined) void remove(oldest);
    },
  };
}
