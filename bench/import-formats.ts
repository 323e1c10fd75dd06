/** The formats whose import is measured, each with a generated export. */
import { closeSync, openSync, writeSync } from "node:fs";
import { writeMbox } from "../testing/files/mbox.ts";
import { chatgptFiles, claudeFiles } from "./exports/assistants.ts";
import { slackFiles, telegramPieces, whatsappLines } from "./exports/chats.ts";
import { writeMessages, writeMsgFiles, writeOds, writePst, writeXlsx } from "./exports/desktop.ts";
import { documentFiles } from "./exports/documents.ts";
import { attachedMessages, emlFiles, maildirFiles } from "./exports/mail.ts";
import { calendarPieces, contactCards } from "./exports/organizers.ts";
import {
  activityPieces,
  discordFiles,
  evernotePieces,
  historyPieces,
  linkedinLines,
  messengerPieces,
  notionFiles,
  signalLines,
  twitterPieces,
  writeNoteStore,
} from "./exports/services.ts";
import { csvLines, jsonLines, jsonPieces } from "./exports/tables.ts";
import { type ExportFile, writeFiles } from "./exports/write-files.ts";

/** A format, and how to generate an export of it. */
export interface ImportFormat {
  readonly label: string;
  /** The name of the export's file or folder. */
  readonly name: string;
  /** The importer that must detect it. */
  readonly importer: string;
  /** The share of the requested size, for formats where all of it would take too long; 1 by default. */
  readonly share?: number;
  /** The goal: how many times as long as the parser alone the import may take. */
  readonly goal?: number;
  /** Writes an export whose texts have about this many bytes. */
  write(path: string, bytes: number): void;
}

export const importFormats: readonly ImportFormat[] = [
  {
    label: "mbox",
    name: "mail.mbox",
    importer: "mail",
    goal: 2.5,
    write: (path, bytes) => writeMbox(path, { bytes }),
  },
  {
    label: "mbox, documents attached",
    name: "attached.mbox",
    importer: "mail",
    share: 0.1,
    write: pieces(attachedMessages),
  },
  { label: "EML folder", name: "eml", importer: "mail", share: 0.25, write: files(emlFiles) },
  { label: "Maildir", name: "maildir", importer: "mail", share: 0.25, write: files(maildirFiles) },
  { label: "ChatGPT, zip", name: "chatgpt.zip", importer: "chatgpt", share: 0.5, write: files(chatgptFiles) },
  { label: "ChatGPT, folder", name: "chatgpt", importer: "chatgpt", share: 0.5, write: files(chatgptFiles) },
  { label: "Claude, zip", name: "claude.zip", importer: "claude", share: 0.5, write: files(claudeFiles) },
  { label: "Slack, zip", name: "slack.zip", importer: "slack", share: 0.15, write: files(slackFiles) },
  { label: "WhatsApp", name: "_chat.txt", importer: "whatsapp", share: 0.15, write: pieces(whatsappLines) },
  {
    label: "Telegram",
    name: "result.json",
    importer: "telegram",
    share: 0.15,
    write: pieces(telegramPieces),
  },
  { label: "X (Twitter)", name: "tweets.js", importer: "twitter", share: 0.1, write: pieces(twitterPieces) },
  {
    label: "LinkedIn messages",
    name: "messages.csv",
    importer: "linkedin",
    share: 0.1,
    write: pieces(linkedinLines),
  },
  {
    label: "Messenger",
    name: "message_1.json",
    importer: "meta",
    share: 0.1,
    write: pieces(messengerPieces),
  },
  { label: "Discord, zip", name: "discord.zip", importer: "discord", share: 0.1, write: files(discordFiles) },
  { label: "Signal", name: "main.jsonl", importer: "signal", share: 0.1, write: pieces(signalLines) },
  {
    label: "Google activity",
    name: "MyActivity.json",
    importer: "google",
    share: 0.1,
    write: pieces(activityPieces),
  },
  {
    label: "Chrome history of a Takeout",
    name: "BrowserHistory.json",
    importer: "browser",
    share: 0.1,
    write: pieces(historyPieces),
  },
  { label: "Notion, zip", name: "notion.zip", importer: "notion", share: 0.1, write: files(notionFiles) },
  { label: "Evernote", name: "notes.enex", importer: "evernote", share: 0.1, write: pieces(evernotePieces) },
  {
    label: "Apple Notes",
    name: "NoteStore.sqlite",
    importer: "apple-notes",
    share: 0.1,
    write: writeNoteStore,
  },
  { label: "Apple's Messages", name: "chat.db", importer: "imessage", share: 0.1, write: writeMessages },
  { label: "Outlook data file", name: "outlook.pst", importer: "mail", share: 0.1, write: writePst },
  { label: "MSG files", name: "msg", importer: "mail", share: 0.05, write: writeMsgFiles },
  { label: "XLSX", name: "table.xlsx", importer: "table", share: 0.1, write: writeXlsx },
  { label: "ODS", name: "table.ods", importer: "table", share: 0.1, write: writeOds },
  {
    label: "documents: PDF, DOCX, HTML, Markdown",
    name: "documents",
    importer: "documents",
    share: 0.15,
    write: files(documentFiles),
  },
  {
    label: "calendar",
    name: "calendar.ics",
    importer: "calendar",
    share: 0.15,
    write: pieces(calendarPieces),
  },
  { label: "contacts", name: "contacts.vcf", importer: "contacts", share: 0.1, write: pieces(contactCards) },
  { label: "CSV", name: "table.csv", importer: "table", write: pieces(csvLines) },
  { label: "JSON lines", name: "table.jsonl", importer: "table", write: pieces(jsonLines) },
  { label: "JSON", name: "table.json", importer: "table", share: 0.5, write: pieces(jsonPieces) },
];

type Write = ImportFormat["write"];

function files(create: (bytes: number) => Iterable<ExportFile>): Write {
  return (path, bytes) => writeFiles(path, create(bytes));
}

function pieces(create: (bytes: number) => Iterable<string>): Write {
  return (path, bytes) => {
    const handle = openSync(path, "w");
    for (const piece of create(bytes)) writeSync(handle, piece);
    closeSync(handle);
  };
}
