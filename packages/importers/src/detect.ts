import { ApiError } from "@rungs/contract";
import type { Files } from "./files/files.ts";
import type { Importer } from "./importer.ts";
import { importers } from "./importers.ts";

/** The first importer whose format the files have, judged by their content; refuses files that none knows. */
export async function detectImporter(
  files: Files,
  among: readonly Importer[] = importers,
): Promise<Importer> {
  for (const importer of among) {
    if (await importer.matches(files)) return importer;
  }
  throw new ApiError("unknown_format", {
    message: `${files.name} has none of the formats that are known: ${listFormats(among)}.`,
    formats: among.map(({ id }) => id),
  });
}

/** The importer that `--as` names. */
export function requireImporter(id: string, among: readonly Importer[] = importers): Importer {
  const found = among.find((importer) => importer.id === id);
  if (found) return found;
  throw new ApiError("unknown_format", {
    message: `There is no format ${id}; there are: ${listFormats(among)}.`,
    formats: among.map((importer) => importer.id),
  });
}

function listFormats(among: readonly Importer[]): string {
  return among.map(({ id, label }) => `${id} (${label})`).join(", ");
}
