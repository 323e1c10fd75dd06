import { ApiError } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { type ArchiveOpener, isArchive } from "../files/open-archive.ts";
import type { Importer } from "../importer.ts";
import { compareDetections, type Detection } from "./detection.ts";
import { explainLeftOut, type LeftOut } from "./left-out.ts";
import type { Part } from "./parts.ts";
import { type Sample, takeSample } from "./sample.ts";

/** How to sort files one by one. */
export interface SingleContext {
  readonly importers: readonly Importer[];
  readonly opener: ArchiveOpener;
  /** The depth of nested archives. */
  readonly depth: number;
  /** Whether there is only one file. */
  readonly is_alone: boolean;
}

/** Files recognized one by one, archives among them, and files that are neither. */
export interface Singles {
  readonly parts: readonly Part[];
  readonly archives: readonly { readonly entry: FileEntry; readonly files: Files }[];
  readonly unknown: readonly ({ readonly entry: FileEntry } & LeftOut)[];
}

/** Sorts files one by one, those of each format together. Opens the archives among them. */
export async function sortSingles(entries: readonly FileEntry[], context: SingleContext): Promise<Singles> {
  const parts = new Map<Importer, Part>();
  const archives: { entry: FileEntry; files: Files }[] = [];
  const unknown: ({ entry: FileEntry } & LeftOut)[] = [];
  for (const entry of entries) {
    const found = await sortFile(entry, context);
    if (found.kind === "file") addFile(parts, entry, found);
    else if (found.kind === "archive") archives.push({ entry, files: found.files });
    else unknown.push({ entry, reason: found.reason, is_linkable: found.is_linkable });
  }
  const order = ({ importer }: Part) => context.importers.indexOf(importer);
  return { parts: [...parts.values()].toSorted((a, b) => order(a) - order(b)), archives, unknown };
}

type Found =
  | ({ readonly kind: "file" } & RecognisedFile)
  | { readonly kind: "archive"; readonly files: Files }
  | ({ readonly kind: "unknown" } & LeftOut);

/** An unreadable file counts as unknown, with the reason. */
async function sortFile(entry: FileEntry, context: SingleContext): Promise<Found> {
  try {
    const sample = await takeSample(entry, context.is_alone);
    const files = isArchive(sample.bytes) ? await openArchive(entry, context) : undefined;
    if (files) return { kind: "archive", files };
    const found = await recogniseFile(sample, context.importers);
    return found ? { kind: "file", ...found } : { kind: "unknown", ...explainLeftOut(sample) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: "unknown", reason: error.message, is_linkable: false };
  }
}

/** The maximum depth of nested archives. */
const DEPTH_MAX = 3;

async function openArchive(entry: FileEntry, { opener, depth }: SingleContext): Promise<Files | undefined> {
  const name = entry.path.slice(entry.path.lastIndexOf("/") + 1);
  const files = await opener.open(entry, name);
  if (!files || depth < DEPTH_MAX) return files;
  await files.close();
  throw new ApiError("archive_refused", { message: `It is an archive inside ${DEPTH_MAX} others.` });
}

function addFile(
  parts: Map<Importer, Part>,
  entry: FileEntry,
  { importer, detection }: RecognisedFile,
): void {
  const part = parts.get(importer) ?? {
    importer,
    root: "",
    entries: [],
    detection,
    file_count: 0,
    guesses: [],
  };
  parts.set(importer, part);
  part.entries.push(entry);
  part.file_count += 1;
  if (detection.confidence === "guess") part.guesses.push({ path: entry.path, reason: detection.reason });
}

/** The format of a file, and why. */
interface RecognisedFile {
  readonly importer: Importer;
  readonly detection: Detection;
}

/** Finds the most certain format of a file; the first importer wins a tie. A signature ends the search. */
async function recogniseFile(
  sample: Sample,
  importers: readonly Importer[],
): Promise<RecognisedFile | undefined> {
  let best: RecognisedFile | undefined;
  for (const importer of importers) {
    if (importer.recognition.kind !== "file") continue;
    const detection = await importer.recognition.recognise(sample);
    if (!detection) continue;
    if (!best || compareDetections(detection, best.detection) < 0) best = { importer, detection };
    if (detection.confidence === "signature") break;
  }
  return best && doubtName(sample, best);
}

/** The importer that a file extension suggests. */
const NAMES: Readonly<Record<string, string>> = {
  ics: "calendar",
  ical: "calendar",
  vcf: "contacts",
  vcard: "contacts",
  mbox: "mail",
  eml: "mail",
  emlx: "mail",
  csv: "table",
  tsv: "table",
  jsonl: "table",
  ndjson: "table",
  pdf: "documents",
  docx: "documents",
};

/**
 * The content decides; but if the extension suggests another format, the detection counts as a guess, which is reported
 * to the owner.
 */
function doubtName({ path }: Sample, found: RecognisedFile): RecognisedFile {
  const [, extension = ""] = /\.([A-Za-z]+)$/.exec(path) ?? [];
  const promised = NAMES[extension.toLowerCase()];
  if (promised === undefined || promised === found.importer.id) return found;
  const reason = `${found.detection.reason}, although it is named .${extension}`;
  return { ...found, detection: { confidence: "guess", reason } };
}
