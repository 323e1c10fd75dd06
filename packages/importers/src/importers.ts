import { ApiError } from "@rungs/contract";
import { calendar } from "./calendar/calendar.ts";
import { chatgpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { contacts } from "./contacts/contacts.ts";
import { documents } from "./documents/documents.ts";
import type { Files } from "./files/files.ts";
import type { Importer } from "./importer.ts";
import { mail } from "./mail/mail.ts";
import { slack } from "./slack/slack.ts";
import { tablesImporter } from "./tables/tables.ts";
import { telegram } from "./telegram/telegram.ts";
import { whatsapp } from "./whatsapp/whatsapp.ts";

/** Every format, in the order of detection: narrow formats before wide ones. */
export const importers: readonly Importer[] = [
  chatgpt,
  claude,
  slack,
  telegram,
  whatsapp,
  mail,
  calendar,
  contacts,
  tablesImporter,
  documents,
];

/** Detects the format of files by their content; refuses files that no importer recognises. */
export async function detectImporter(
  files: Files,
  among: readonly Importer[] = importers,
): Promise<Importer> {
  for (const importer of among) {
    if (await importer.matches(files)) return importer;
  }
  throw new ApiError("unknown_format", {
    message: `${files.name} has no known format. Known formats: ${listFormats(among)}.`,
    formats: among.map(({ id }) => id),
  });
}

/** Finds the importer that `--as` names. */
export function requireImporter(id: string, among: readonly Importer[] = importers): Importer {
  const found = among.find((importer) => importer.id === id);
  if (found) return found;
  throw new ApiError("unknown_format", {
    message: `Unknown format ${id}. Known formats: ${listFormats(among)}.`,
    formats: among.map((importer) => importer.id),
  });
}

function listFormats(among: readonly Importer[]): string {
  return among.map(({ id, label }) => `${id} (${label})`).join(", ");
}
