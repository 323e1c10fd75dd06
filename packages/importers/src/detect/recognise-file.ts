import type { Importer } from "../importer.ts";
import { compareDetections, type Detection } from "./detection.ts";
import type { Sample } from "./sample.ts";

/** The format of a file, and why. */
export interface RecognisedFile {
  readonly importer: Importer;
  readonly detection: Detection;
}

/** Finds the most certain format of a file; the first importer wins a tie. A signature ends the search. */
export async function recogniseFile(
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

/** The content decides; but if the extension suggests another format, the detection counts as a guess, so that the owner is told. */
function doubtName({ path }: Sample, found: RecognisedFile): RecognisedFile {
  const [, extension = ""] = /\.([A-Za-z]+)$/.exec(path) ?? [];
  const promised = NAMES[extension.toLowerCase()];
  if (promised === undefined || promised === found.importer.id) return found;
  const reason = `${found.detection.reason}, although it is named .${extension}`;
  return { ...found, detection: { confidence: "guess", reason } };
}
