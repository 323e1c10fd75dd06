import type { Detection } from "../detect/detection.ts";
import { detectEntryKind } from "../extract/entry-kind.ts";
import type { FileEntry } from "../files/files.ts";
import { isSeparator } from "./mbox-separator.ts";

/** The kind of a mail file: many messages, one message, one as Apple Mail or as Outlook stores it, or an Outlook data file. */
export type MailFileKind = "mbox" | "message" | "emlx" | "msg" | "store";

/** How many bytes detection needs. */
export const DETECTION_BYTES = 32 * 1024;

/** Recognizes mail by its first bytes; undefined for other files. */
export function recogniseMail(head: Uint8Array): Detection | undefined {
  const kind = detectMailFile(head);
  if (kind === undefined) return undefined;
  if (kind === "store")
    return { confidence: "signature", reason: "it begins with !BDN, as data files of Outlook do" };
  if (kind === "mbox")
    return { confidence: "signature", reason: "it begins with the From line of a mailbox" };
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const start = (BYTE_COUNT.exec(text) ?? /^(?:\xef\xbb\xbf)?\s*/.exec(text))?.[0].length ?? 0;
  return listMailFields(text.slice(start)).size > 1
    ? { confidence: "structure", reason: "it begins with the header of a message" }
    : { confidence: "guess", reason: "its first line could be the header of a message" };
}

/** Detects a mail file by its first bytes, never by its name; undefined for other files. */
export function detectMailFile(head: Uint8Array): MailFileKind | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (isOutlookStore(head)) return "store";
  const text = bytes.toString("latin1");
  const start = /^(?:\xef\xbb\xbf)?\s*/.exec(text)?.[0].length ?? 0;
  if (isSeparator(bytes, start) || FIRST_LINES.test(text.slice(start))) return "mbox";
  const count = BYTE_COUNT.exec(text)?.[0];
  if (count !== undefined && hasMailHeader(text.slice(count.length))) return "emlx";
  return hasMailHeader(text.slice(start)) ? "message" : undefined;
}

/** At the start of a file a `From ` line may have any form if a mail header follows. */
const FIRST_LINES = /^From [^\n]*\n(?:>From [^\n]*\n)*[!-9;-~]+:[ \t]/;

/** The first line of an emlx file says how many bytes the message has. */
export const BYTE_COUNT = /^(\d{1,12})[ \t]*\r?\n/;

/**
 * A single `TELLING` field identifies mail; `COMMON` fields only in pairs. Not `Status` and `X-…`: calendars have them.
 */
const TELLING =
  /^(?:from|subject|received|return-path|delivered-to|message-id|mime-version|content-type|content-transfer-encoding|x-mailer)$/;
const COMMON = /^(?:to|cc|bcc|date|sender|reply-to|in-reply-to|references|list-id)$/;
/** The signature of a calendar or contact. */
const OTHER_FORMAT = /^BEGIN:V/i;
const FIELD = /^([!-9;-~]+)[ \t]*:/;

function hasMailHeader(text: string): boolean {
  const known = [...listMailFields(text)];
  return known.length > 1 || known.some((name) => TELLING.test(name));
}

/** The names of the mail fields that a text begins with; empty if it begins with something else. */
function listMailFields(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/);
  if (!FIELD.test(lines[0] ?? "") || OTHER_FORMAT.test(lines[0] ?? "")) return new Set();
  const end = lines.indexOf("");
  const header = lines.slice(0, end < 0 ? lines.length : end).filter((line) => !/^[ \t]/.test(line));
  const names = header.flatMap((line) => FIELD.exec(line)?.[1]?.toLowerCase() ?? []);
  const isMostlyFields = names.length * 2 >= header.length;
  return new Set(isMostlyFields ? names.filter((name) => TELLING.test(name) || COMMON.test(name)) : []);
}

/** Whether a file is an Outlook data file ([MS-PST] §2.2.2.6). */
function isOutlookStore(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 4)).toString("latin1") === "!BDN";
}

/** Recognizes a message as Outlook stores it, by the parts of its compound file; undefined for other files. */
export async function recogniseMsg(entry: FileEntry, head: Uint8Array): Promise<Detection | undefined> {
  if (Buffer.from(head.subarray(0, 4)).toString("hex") !== "d0cf11e0") return undefined;
  const { kind } = await detectEntryKind(entry, head);
  const reason = "it is a compound file with the properties of an Outlook message";
  return kind === "msg" ? { confidence: "signature", reason } : undefined;
}

/** Why a file is not mail. */
export const NOT_MAIL =
  "Not mail: it begins neither with a message header nor with the From line of a mailbox, and it is not a file of Outlook.";
