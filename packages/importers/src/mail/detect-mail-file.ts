import { isSeparator } from "./mbox-separator.ts";

/** The kind of a mail file: many messages, one message, or one message as Apple Mail stores it. */
export type MailFileKind = "mbox" | "message" | "emlx";

/** How many bytes detection needs. */
export const DETECTION_BYTES = 32 * 1024;

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
  const lines = text.split(/\r?\n/);
  if (!FIELD.test(lines[0] ?? "") || OTHER_FORMAT.test(lines[0] ?? "")) return false;
  const end = lines.indexOf("");
  const header = lines.slice(0, end < 0 ? lines.length : end).filter((line) => !/^[ \t]/.test(line));
  const names = header.flatMap((line) => FIELD.exec(line)?.[1]?.toLowerCase() ?? []);
  const known = new Set(names.filter((name) => TELLING.test(name) || COMMON.test(name)));
  const isMostlyFields = names.length * 2 >= header.length;
  return isMostlyFields && (known.size > 1 || names.some((name) => TELLING.test(name)));
}

/** Explains why a file is not readable mail. */
export function explainNotMail(head: Uint8Array): string {
  const isOutlook = Buffer.from(head.subarray(0, 4)).toString("latin1") === "!BDN";
  return isOutlook
    ? "It is an Outlook data file (PST or OST), which is not read; export its folders as mbox or as EML files."
    : "Not mail: it begins neither with a message header nor with the From line of a mailbox.";
}
