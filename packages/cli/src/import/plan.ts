import { createHash } from "node:crypto";
import { ApiError, type Manifest } from "@rungs/contract";
import {
  detectImporter,
  type Files,
  type Importer,
  identifyFiles,
  openFiles,
  requireImporter,
} from "@rungs/importers";

/** The options that apply to every path of one command. */
export interface ImportOptions {
  readonly format: string | undefined;
  readonly connection_id: string | undefined;
  readonly label: string | undefined;
  readonly manifest: Manifest | undefined;
}

/** What to import and where to, decided before anything is stored. */
export interface ImportPlan {
  readonly path: string;
  readonly files: Files;
  readonly importer: Importer;
  readonly manifest: Manifest;
  /** Whether the manifest was inferred from the files, so that the owner should see it. */
  readonly is_inferred: boolean;
  readonly connection_id: string;
  readonly label: string | undefined;
  /** Equal for two runs over the same content, so that the second can resume the first. */
  readonly identity: string;
}

/** Opens a path, detects its format, and chooses its connection. The caller closes `files`. */
export async function planImport(path: string, options: ImportOptions): Promise<ImportPlan> {
  const files = await openFiles(path);
  try {
    const importer =
      options.format === undefined ? await detectImporter(files) : requireImporter(options.format);
    const manifest = await chooseManifest(importer, files, options.manifest);
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

async function chooseManifest(
  importer: Importer,
  files: Files,
  given: Manifest | undefined,
): Promise<Manifest> {
  if (importer.inspect) return importer.inspect(files, given);
  if (given === undefined) return importer.manifest;
  throw new ApiError("invalid_request", {
    param: "manifest",
    message: `The format ${importer.id} brings its own declaration.`,
    next: "Leave --manifest out.",
  });
}

const MAX_NAME_CHARS = 64;

/** The connection of a file without `--connection`: always the same for the same file name and format. */
function defaultConnectionId(format: string, file_name: string): string {
  const stem = file_name.normalize("NFC").replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, "");
  const plain = stem
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const short = plain.slice(0, MAX_NAME_CHARS).replace(/-$/, "");
  const name = keepsLetters(stem, short)
    ? short
    : [short, digestName(stem)].filter((segment) => segment !== "").join("-");
  return name.startsWith(format) ? name : `${format}-${name}`;
}

/** Whether the short name keeps every letter: two names in another script must not map to one connection. */
function keepsLetters(stem: string, short: string): boolean {
  const letters = stem.normalize("NFKD").match(/\p{L}|\p{N}/gu) ?? [];
  return letters.length === short.replaceAll("-", "").length && short !== "";
}

function digestName(stem: string): string {
  return createHash("sha256").update(stem).digest("hex").slice(0, 8);
}
