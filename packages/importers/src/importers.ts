import { ApiError } from "@rungs/contract";
import { appleNotes } from "./apple-notes/apple-notes.ts";
import { browser } from "./browser/browser.ts";
import { calendar } from "./calendar/calendar.ts";
import { chatgpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { contacts } from "./contacts/contacts.ts";
import { NOTHING_KNOWN } from "./detect/left-out.ts";
import { type SortedFiles, sortFiles } from "./detect/sort-files.ts";
import { discord } from "./discord/discord.ts";
import { documents, documentsWithPictures } from "./documents/documents.ts";
import { evernote } from "./evernote/evernote.ts";
import type { Files } from "./files/files.ts";
import { google } from "./google/google.ts";
import { imessage } from "./imessage/imessage.ts";
import type { Importer } from "./importer.ts";
import { linkedin } from "./linkedin/linkedin.ts";
import { mail } from "./mail/mail.ts";
import { meta } from "./meta/meta.ts";
import { notion } from "./notion/notion.ts";
import { signal } from "./signal/signal.ts";
import { slack } from "./slack/slack.ts";
import { tablesImporter } from "./tables/tables.ts";
import { telegram } from "./telegram/telegram.ts";
import { twitter } from "./twitter/twitter.ts";
import { whatsapp } from "./whatsapp/whatsapp.ts";

/** Every format, in the order of detection: narrow formats before wide ones. In a tie, the first wins. */
export const importers: readonly Importer[] = [
  chatgpt,
  claude,
  slack,
  telegram,
  google,
  meta,
  twitter,
  linkedin,
  discord,
  signal,
  imessage,
  whatsapp,
  notion,
  evernote,
  appleNotes,
  browser,
  calendar,
  contacts,
  mail,
  tablesImporter,
  documents,
];

/** The same, where OCR reads pictures. */
export const importersWithOcr: readonly Importer[] = importers.map((importer) =>
  importer === documents ? documentsWithPictures : importer,
);

/** Sorts files by format; refuses files in which no importer recognizes anything. */
export async function detectFormats(
  files: Files,
  among: readonly Importer[] = importers,
): Promise<SortedFiles> {
  const sorted = await sortFiles(files, among);
  if (sorted.groups.length > 0) return sorted;
  await sorted.close();
  const [only, ...others] = sorted.left_out;
  const why = only && others.length === 0 && only.reason !== NOTHING_KNOWN ? ` ${only.reason}` : "";
  throw new ApiError("unknown_format", {
    message: `${files.name} has no known format.${why} Known formats: ${listFormats(among)}.`,
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
