import { ApiError, type Manifest } from "@rungs/contract";
import {
  detectImporter,
  type Files,
  type Importer,
  identifyFiles,
  openFiles,
  requireImporter,
} from "@rungs/importers";
import { defaultConnectionId } from "./connection-id.ts";

/** What a command line says about all its paths. */
export interface ImportOptions {
  readonly format: string | undefined;
  readonly connection_id: string | undefined;
  readonly label: string | undefined;
  readonly manifest: Manifest | undefined;
}

/** What will be imported: known before anything is stored. */
export interface ImportPlan {
  readonly path: string;
  readonly files: Files;
  readonly importer: Importer;
  readonly manifest: Manifest;
  /** Whether the manifest was made up from the files, so that the owner should see it. */
  readonly is_inferred: boolean;
  readonly connection_id: string;
  readonly label: string | undefined;
  /** Says whether another run imports the same. */
  readonly identity: string;
}

/** Opens a path, finds out what it is, and decides where it goes. The caller closes `files`. */
export async function planImport(path: string, options: ImportOptions): Promise<ImportPlan> {
  const files = await openFiles(path);
  try {
    const importer =
      options.format === undefined ? await detectImporter(files) : requireImporter(options.format);
    const manifest = await manifestFor(importer, files, options.manifest);
    return {
      path,
      files,
      importer,
      manifest,
      is_inferred: importer.inspect !== undefined && options.manifest === undefined,
      connection_id: options.connection_id ?? defaultConnectionId(importer.id, files.name),
      label: options.label,
      identity: [importer.id, manifest.declaration_version, await identifyFiles(files)].join("/"),
    };
  } catch (error) {
    await files.close();
    throw error;
  }
}

async function manifestFor(importer: Importer, files: Files, given: Manifest | undefined): Promise<Manifest> {
  if (importer.inspect) return importer.inspect(files, given);
  if (given === undefined) return importer.manifest;
  throw new ApiError("invalid_request", {
    param: "manifest",
    message: `The format ${importer.id} has a declaration of its own.`,
    next: "Leave --manifest out.",
  });
}
