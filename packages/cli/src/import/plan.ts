import { createHash } from "node:crypto";
import { ApiError, type Manifest } from "@rungs/contract";
import {
  type Detection,
  detectFormats,
  type FileGroup,
  type Files,
  type Importer,
  identifyFiles,
  importers,
  importersWithOcr,
  type OcrSetup,
  openFiles,
  type RefusedFile,
  requireImporter,
} from "@rungs/importers";
import { createWatchdog, dropStuck } from "./watchdog.ts";

/** The options that apply to every path of one command. */
export interface ImportOptions {
  readonly format: string | undefined;
  readonly connection_id: string | undefined;
  readonly label: string | undefined;
  readonly manifest: Manifest | undefined;
  /** The zone of times that have none. */
  readonly time_zone?: string | undefined;
  /** The program that reads pictures, if the owner asked for it. */
  readonly ocr?: OcrSetup | undefined;
}

/** What to import and where to, decided before anything is stored. */
export interface ImportPlan {
  /** The path as given, and the folder or archive inside it. */
  readonly path: string;
  readonly files: Files;
  readonly importer: Importer;
  readonly manifest: Manifest;
  /** Whether the manifest was inferred from the files, so that the owner should see it. */
  readonly is_inferred: boolean;
  readonly connection_id: string;
  readonly label: string | undefined;
  readonly time_zone: string | undefined;
  readonly ocr: OcrSetup | undefined;
  /** Why the files were taken for the format; undefined if the owner named it. */
  readonly detection: Detection | undefined;
  readonly file_count: number | undefined;
  /** What to tell the owner beforehand. */
  readonly notes: readonly string[];
  /** Equal for two runs over the same content, so that the second can resume the first. */
  readonly identity: string;
}

/** The contents of a path: one plan for each format and archive, and the files that no format recognizes. */
export interface PathPlan {
  readonly plans: readonly ImportPlan[];
  readonly left_out: readonly RefusedFile[];
  close(): Promise<void>;
}

/** Opens a path, detects the formats in it, and chooses a connection for each. The caller closes the plan. */
export async function planImports(path: string, options: ImportOptions): Promise<PathPlan> {
  const files = await openFiles(path);
  const opened: { close(): Promise<void> }[] = [files];
  const close = async () => {
    for (const each of opened.toReversed()) await each.close();
  };
  try {
    const { groups, left_out } = await chooseGroups(files, options, opened);
    requireOneFormat(groups, options);
    const plans: ImportPlan[] = [];
    for (const group of groups) plans.push(await planGroup(path, group, options, plans));
    return { plans, left_out, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Plans the import of files found below a folder, into a connection named after their path in it, so that it stays the
 * same when other files join them. `before` has the earlier plans.
 */
export function planFound(
  path: string,
  group: FileGroup,
  before: readonly ImportPlan[],
): Promise<ImportPlan> {
  const named = nameConnection(group.importer.id, group.place.replace(/\/$/, "") || group.files.name);
  const isTaken = before.some(({ connection_id }) => connection_id === named);
  const connection_id = isTaken ? undefined : named;
  const options = { format: undefined, connection_id, label: undefined, manifest: undefined };
  return planGroup(path, group, options, before);
}

type Group = Omit<FileGroup, "detection" | "file_count"> & Pick<ImportPlan, "detection" | "file_count">;

async function chooseGroups(
  files: Files,
  { format, ocr }: ImportOptions,
  opened: { close(): Promise<void> }[],
): Promise<{ readonly groups: readonly Group[]; readonly left_out: readonly RefusedFile[] }> {
  const among = ocr ? importersWithOcr : importers;
  if (format === undefined) {
    const sorted = await detectFormats(files, among);
    opened.push(sorted);
    return sorted;
  }
  const facts = { place: "", guesses: [], detection: undefined, file_count: undefined };
  return { groups: [{ importer: requireImporter(format, among), files, ...facts }], left_out: [] };
}

/** A connection holds the records of one format. */
function requireOneFormat(groups: readonly Group[], { connection_id }: ImportOptions): void {
  const formats = [...new Set(groups.map(({ importer }) => importer.id))];
  if (connection_id === undefined || formats.length === 1) return;
  throw new ApiError("invalid_request", {
    param: "connection",
    message: `There are several formats (${formats.join(", ")}), and a connection holds one.`,
    next: "Leave --connection out, or choose a format with --as.",
  });
}

async function planGroup(
  root: string,
  group: Group,
  options: ImportOptions,
  before: readonly ImportPlan[],
): Promise<ImportPlan> {
  const { importer, place, detection, file_count, guesses } = group;
  const path = place === "" ? root : `${root.replace(/\/+$/, "")}/${place.replace(/\/$/, "")}`;
  const watched = { path, format: importer.id };
  const files = dropStuck(watched, group.files);
  const watchdog = createWatchdog("plan", watched, files);
  const choose = () => chooseManifest(importer, files, options.manifest);
  const manifest = await (watchdog?.watch(choose) ?? choose()).finally(() => watchdog?.close());
  const taken = new Set(before.map(({ connection_id }) => connection_id));
  const names = [files.name, `${place.replace(/\/$/, "")}/${files.name}`];
  const ids = names.map((name) => nameConnection(importer.id, name));
  return {
    path,
    files,
    importer,
    manifest,
    is_inferred: importer.inspect !== undefined && options.manifest === undefined,
    connection_id: options.connection_id ?? ids.find((id) => !taken.has(id)) ?? ids[0]!,
    label: options.label,
    time_zone: options.time_zone,
    ocr: options.ocr,
    detection,
    file_count,
    notes: explainGuesses(importer, guesses),
    identity: [
      importer.id,
      manifest.declaration_version,
      options.time_zone,
      options.ocr && `ocr-${options.ocr.languages.map(({ code }) => code).join("-")}`,
      await identifyFiles(files),
    ]
      .filter((part) => part !== undefined)
      .join("/"),
  };
}

const SHOWN_GUESSES = 5;

/** Always report a guess. */
function explainGuesses({ id }: Importer, guesses: readonly RefusedFile[]): string[] {
  const shown = guesses
    .slice(0, SHOWN_GUESSES)
    .map(({ path, reason }) => `${path}: taken for the format ${id} by a guess, because ${reason}.`);
  const more = guesses.length - shown.length;
  return more > 0 ? [...shown, `And ${more} more files by a guess.`] : shown;
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

const NAME_MAX_CHARS = 64;

/** The connection of files without `--connection`: always the same for the same name and format. */
function nameConnection(format: string, file_name: string): string {
  const stem = nameExport(file_name.normalize("NFC").replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, ""));
  const plain = stem
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const short = plain.slice(0, NAME_MAX_CHARS).replace(/-$/, "");
  const name = keepsLetters(stem, short)
    ? short
    : [short, digestName(stem)].filter((segment) => segment !== "").join("-");
  return name.startsWith(format) ? name : `${format}-${name}`;
}

/** Google gives each part of each export a new name: `takeout-20260101T000000Z-1-001.zip`. All are one account. */
function nameExport(stem: string): string {
  return stem.replace(/^(takeout)-\d{8}T\d{6}Z(?:-\d{1,4})*$/i, "$1");
}

/** Whether the short name keeps every letter: two names in another script must not map to one connection. */
function keepsLetters(stem: string, short: string): boolean {
  const letters = stem.normalize("NFKD").match(/\p{L}|\p{N}/gu) ?? [];
  return letters.length === short.replaceAll("-", "").length && short !== "";
}

function digestName(stem: string): string {
  return createHash("sha256").update(stem).digest("hex").slice(0, 8);
}
