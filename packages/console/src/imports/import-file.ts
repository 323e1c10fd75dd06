/** A file that was uploaded, on its way in. */
export interface ImportRequest {
  /** Where it lies; it is removed afterwards. */
  readonly path: string;
  /** What people call the connection that it becomes; the importer's own name for it when left out. */
  readonly label?: string | undefined;
}

/** How far an import is. */
export interface ImportJobProgress {
  readonly read_bytes: number;
  readonly total_bytes: number;
}

/** What became of a file's items. */
export interface ImportOutcome {
  readonly connection_id: string;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The first that were not taken: where each stands, and why. */
  readonly rejections: readonly { readonly place: string; readonly message: string }[];
}

/** Finds out what a file is and brings it in; who composes the program says how. */
export type ImportFile = (
  request: ImportRequest,
  report: (progress: ImportJobProgress) => void,
) => Promise<ImportOutcome>;
