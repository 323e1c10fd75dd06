import { calendar } from "./calendar/calendar.ts";
import { chatgpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { contacts } from "./contacts/contacts.ts";
import { documents } from "./documents/documents.ts";
import type { Importer } from "./importer.ts";
import { mail } from "./mail/mail.ts";
import { slack } from "./slack/slack.ts";
import { tablesImporter } from "./tables/importer.ts";
import { telegram } from "./telegram/telegram.ts";
import { whatsapp } from "./whatsapp/whatsapp.ts";

/** Every format, in the order in which they are tried: the narrow ones before the wide ones. */
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
