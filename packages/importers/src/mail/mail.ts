/** Mail: mbox files, single messages, Maildir and Apple Mail, alone or mixed in a folder. */
import { ApiError, type ImportedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { listEntries } from "../files/probe.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { withCheckpoint } from "../record-item.ts";
import {
  BYTE_COUNT,
  DETECTION_BYTES,
  detectMailFile,
  type MailFileKind,
  NOT_MAIL,
  recogniseMail,
  recogniseMsg,
} from "./detect-mail-file.ts";
import { readMailItem } from "./mail-items.ts";
import { parseMaildirPath } from "./maildir.ts";
import { mailManifest } from "./manifest.ts";
import { readMsgMail, readStoreMail } from "./outlook-mail.ts";
import { splitMbox } from "./split-mbox.ts";

/** Reads mailboxes and messages. */
export const mail: Importer = {
  id: "mail",
  label: "mail (mbox, EML, Maildir, emlx, Outlook)",
  get manifest() {
    return mailManifest();
  },
  recognition: {
    kind: "file",
    recognise: async ({ entry, bytes }) => recogniseMail(bytes) ?? (await recogniseMsg(entry, bytes)),
  },
  read,
};

/** The largest message. It is held in memory several times while it is decoded: up to 1 GB. */
export const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;

/** Why a larger message is rejected. */
export const MESSAGE_TOO_LARGE = `It is larger than ${MESSAGE_MAX_BYTES / 1024 ** 2} MiB, the limit for one message.`;

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const resume = parseResume(source.resume, 2);
  const isAlone = (await listEntries(source.files)).length === 1;
  for await (const entry of source.files.list()) {
    if (resume !== undefined && entry.path < resume.path) continue;
    const [offset = 0, number = 0] = entry.path === resume?.path ? resume.counts : [];
    if (offset >= entry.size_bytes) continue;
    yield* readFile(source, entry, { offset, number, is_alone: isAlone });
  }
}

/** Where to begin in a file. */
interface MboxPosition {
  /** In bytes. */
  readonly offset: number;
  /** The number of earlier messages. */
  readonly number: number;
  /** Whether it is the only file: its name is then not a folder's. */
  readonly is_alone: boolean;
}

async function* readFile(
  source: ImportSource,
  entry: FileEntry,
  start: MboxPosition,
): AsyncGenerator<ImportedItem> {
  const { path, size_bytes } = entry;
  const done = formatResume(path, size_bytes, 0);
  try {
    const head = await entry.head(DETECTION_BYTES);
    const kind = detectMailFile(head) ?? ((await recogniseMsg(entry, head)) && "msg");
    if (kind === undefined) yield { kind: "rejected", place: path, reason: NOT_MAIL, checkpoint: done };
    else {
      const folder = start.is_alone ? undefined : nameMailFolder(path, kind);
      if (kind === "mbox") yield* readMbox(source, entry, { ...start, folder });
      else if (kind === "store") yield* readStoreMail(source, entry, start.number);
      else if (kind === "msg") yield* withCheckpoint(readMsgMail(source, entry, folder), done);
      else yield* withCheckpoint(readSingle(source, entry, { kind, folder }), done);
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    yield { kind: "rejected", place: path, reason: error.message, checkpoint: done };
  }
}

async function* readMbox(
  source: ImportSource,
  entry: FileEntry,
  from: MboxPosition & { readonly folder: string | undefined },
): AsyncGenerator<ImportedItem> {
  const { path } = entry;
  let number = from.number;
  for await (const found of splitMbox(entry.open(from.offset), from.offset, MESSAGE_MAX_BYTES)) {
    number += 1;
    const { start, end, separator } = found;
    const place = `${path}, message ${number} at byte ${start}`;
    const bytes = found.bytes && (found.unescaped ? found.bytes : unescapeFrom(found.bytes));
    const reason = bytes === undefined ? MESSAGE_TOO_LARGE : "It is empty.";
    const items = bytes?.length
      ? readMailItem(source, { content: bytes, place, separator, folder: from.folder })
      : [{ kind: "rejected", place, reason } as const];
    yield* withCheckpoint(items, formatResume(path, end, number));
  }
}

async function* readSingle(
  source: ImportSource,
  entry: FileEntry,
  { kind, folder }: { readonly kind: MailFileKind; readonly folder: string | undefined },
): AsyncGenerator<ImportedItem> {
  const place = entry.path;
  const maildir = parseMaildirPath(place);
  if (maildir?.in_delivery) {
    yield {
      kind: "rejected",
      place,
      reason: "It is in tmp, where a Maildir keeps messages that are still being delivered.",
    };
    return;
  }
  const bytes = await readMessageFile(entry, kind);
  if (bytes === undefined) yield { kind: "rejected", place, reason: MESSAGE_TOO_LARGE };
  else
    yield* readMailItem(source, {
      content: bytes,
      place,
      maildir,
      folder: maildir ? maildir.folder : folder,
    });
}

/** Reads a file that holds one message; undefined, without reading to the end, when it is too large. */
async function readMessageFile(entry: FileEntry, kind: MailFileKind): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (entry.size_bytes > MESSAGE_MAX_BYTES) return undefined;
  for await (const chunk of entry.open()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MESSAGE_MAX_BYTES) return undefined;
  }
  const bytes = Buffer.concat(chunks);
  return kind === "emlx" ? unwrapEmlx(bytes) : bytes;
}

/** An emlx file has a property list of Apple Mail after the message. */
function unwrapEmlx(bytes: Buffer): Buffer {
  const [line = "", count] = BYTE_COUNT.exec(bytes.toString("latin1", 0, 64)) ?? [];
  return bytes.subarray(line.length, line.length + Number(count));
}

/**
 * The folder of the mail program that a file is or belongs to, by its path: `Archives.sbd/2010` and `Sent` of Thunderbird,
 * `Work.mbox/mbox` of Apple Mail, `sent/17.eml`. Only the names that the program gave: not where the person put it all.
 */
function nameMailFolder(path: string, kind: MailFileKind): string | undefined {
  const segments = path.split("/");
  const own = segments.pop() ?? "";
  const boxes = segments.filter((segment) => MAILBOX.test(segment));
  const names =
    kind === "mbox" && !(own === "mbox" && boxes.length > 0)
      ? [...takeTrailing(segments, (segment) => segment.endsWith(".sbd")), own]
      : boxes.length > 0
        ? boxes
        : segments.slice(-1);
  const folder = names.map((name) => name.replace(MAILBOX, "")).join("/");
  return folder === "" ? undefined : folder;
}

const MAILBOX = /\.(?:mbox|mbx|sbd)$/i;

function takeTrailing(segments: readonly string[], fits: (segment: string) => boolean): string[] {
  return segments.slice(segments.findLastIndex((segment) => !fits(segment)) + 1);
}

const ESCAPED = Buffer.from(">From ");
const LF = 0x0a;
const GT = 0x3e;

/** Removes the `>` that an mbox writer put before lines that match `>*From ` (mboxrd; mboxo escapes only `From `). */
export function unescapeFrom(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(ESCAPED); at >= 0; at = bytes.indexOf(ESCAPED, at + 1)) {
    const start = findQuoteStart(bytes, at);
    if (start > 0 && bytes[start - 1] !== LF) continue;
    kept.push(bytes.subarray(from, start));
    from = start + 1;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}

function findQuoteStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && bytes[start - 1] === GT) start -= 1;
  return start;
}
