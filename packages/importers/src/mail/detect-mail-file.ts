import type { Detection } from "../detect/detection.ts";
import { isSeparator } from "./mbox-separator.ts";

/** The kind of a mail file: many messages, one message, or one message as Apple Mail stores it. */
export type MailFileKind = "mbox" | "message" | "emlx";

/** How many bytes detection needs. */
export const DETECTION_BYTES = 32 * 1024;

/** Recognises mail by its first bytes; undefined for other files. */
export function recogniseMail(head: Uint8Array): Detection | undefined {
  const kind = detectMailFile(head);
  if (kind === undefined) return undefined;
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

/** `TELLING` fields hardly occur outside of mail; of `COMMON` fields it takes two. Not `Status` and `X-…`: calendars have them. */
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

/** Whether a file is a data file of Outlook ([MS-PST] §2.2.2.6). */
export function isOutlookStore(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 4)).toString("latin1") === "!BDN";
}

/** Explains why a file is not readable mail. */
export function explainNotMail(head: Uint8Array): string {
  return isOutlookStore(head)
    ? "It is an Outlook data file (PST or OST), which is not read; export its folders as mbox or as EML files."
    : "Not mail: it begins neither with a message header nor with the From line of a mailbox.";
}
