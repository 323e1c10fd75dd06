/** Walks through the folders of an Outlook data file ([MS-PST]). Runs in a confined process. */
import { PSTFile, type PSTFolder, PSTMessage } from "pst-extractor";
import { readRtf } from "../extract/rtf-text.ts";
import { guardLibrary } from "./guard-library.ts";
import { type OutlookAttachment, type OutlookMessage, orNone, toPerson } from "./outlook-message.ts";

/** A finding of the walk. */
export type StoreItem =
  | { readonly kind: "message"; readonly folder: string; readonly message: OutlookMessage }
  /** An appointment, a contact, a task: `IPM.Appointment`. */
  | { readonly kind: "other"; readonly folder: string }
  | { readonly kind: "problem"; readonly folder: string; readonly reason: string }
  /** The whole file, or its remainder. */
  | { readonly kind: "unreadable"; readonly reason: string };

const DEPTH_MAX = 100;
const FOLDERS_MAX = 100_000;
const MESSAGE_MAX_BYTES = 64 * 1024 ** 2;
/** Mail, reports of delivery and invitations; posts and messages without a class. */
const MAIL_CLASS = /^(?:$|IPM$|IPM\.Note|IPM\.Post|IPM\.Schedule\.Meeting|IPM\.Outlook\.Recall|REPORT)/i;

guardLibrary();

/** The items of a data file from number `skip` on, in a fixed order. */
export function* walkStore(source: string | Buffer, skip: number): Generator<StoreItem> {
  const file = typeof source === "string" ? new PSTFile(source) : new PSTFile(source);
  let left = skip;
  for (const { folder, path } of walkFolders(file.getRootFolder())) {
    const count = countItems(folder);
    const from = Math.min(left, count);
    left -= from;
    for (let at = from; at < count; at += 1) yield readItem(folder, path, at);
  }
}

interface FoundFolder {
  readonly folder: PSTFolder;
  /** The names of the folders that a person sees, joined by `/`. */
  readonly path: string;
}

/** The folders in order, each once: a broken file may have cycles. */
function* walkFolders(root: PSTFolder): Generator<FoundFolder> {
  const seen = new Set<string>();
  const waiting: { folder: PSTFolder; names: readonly string[] }[] = [{ folder: root, names: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder, names } = next;
    const id = folder.descriptorNodeId.toString();
    if (seen.has(id) || names.length > DEPTH_MAX || seen.size > FOLDERS_MAX) continue;
    seen.add(id);
    // The root folder stands for the whole file.
    yield { folder, path: names.slice(1).join("/") };
    const inner = attempt(() => folder.getSubFolders(), []);
    waiting.push(
      ...inner.toReversed().map((each) => ({ folder: each, names: [...names, each.displayName] })),
    );
  }
}

function countItems(folder: PSTFolder): number {
  return attempt(() => (folder.emailCount >= 0 ? folder.emailCount : folder.contentCount), 0);
}

function readItem(folder: PSTFolder, path: string, at: number): StoreItem {
  try {
    // The library advances past a broken item, as its cursor shows.
    const cursor = folder as unknown as { currentEmailIndex: number };
    cursor.currentEmailIndex = at;
    const item: unknown = folder.getNextChild();
    if (!(item instanceof PSTMessage) || cursor.currentEmailIndex !== at + 1)
      return { kind: "problem", folder: path, reason: "It is broken." };
    if (!MAIL_CLASS.test(item.messageClass)) return { kind: "other", folder: path };
    const size = Number(item.messageSize);
    if (size > MESSAGE_MAX_BYTES) {
      const reason = `It is larger than ${MESSAGE_MAX_BYTES / 1024 ** 2} MiB, the limit for one message.`;
      return { kind: "problem", folder: path, reason };
    }
    return { kind: "message", folder: path, message: toMessage(item) };
  } catch {
    return { kind: "problem", folder: path, reason: "It is broken." };
  }
}

function toMessage(item: PSTMessage): OutlookMessage {
  const conversation = attempt(() => item.conversationId, null);
  const time = item.clientSubmitTime ?? item.messageDeliveryTime ?? item.creationTime;
  return {
    headers: orNone(item.transportMessageHeaders),
    subject: orNone(item.subject),
    from: toSender(item),
    recipients: listRecipients(item),
    sent_at: time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined,
    message_id: orNone(item.internetMessageId),
    in_reply_to: orNone(item.inReplyToId),
    conversation: conversation ? conversation.toString("hex") : undefined,
    ...readBodies(item),
    is_read: item.isRead,
    is_draft: item.isUnsent,
    attachments: listAttachments(item),
  };
}

function toSender(item: PSTMessage): OutlookMessage["from"] {
  const { senderName, senderEmailAddress, sentRepresentingEmailAddress } = item;
  if (senderName === "" && senderEmailAddress === "") return undefined;
  return toPerson(senderName, senderEmailAddress, sentRepresentingEmailAddress);
}

const KINDS: Readonly<Record<number, "to" | "cc" | "bcc">> = { 1: "to", 2: "cc", 3: "bcc" };

function listRecipients(item: PSTMessage): OutlookMessage["recipients"] {
  const count = attempt(() => item.numberOfRecipients, 0);
  return Array.from({ length: count }, (_, at) => attempt(() => item.getRecipient(at), null)).flatMap(
    (each) =>
      each
        ? [
            {
              kind: KINDS[each.recipientType] ?? "to",
              ...toPerson(each.displayName, each.smtpAddress, each.emailAddress),
            },
          ]
        : [],
  );
}

/** The plain text and the HTML; for a message that has neither, the content of its RTF. */
function readBodies(item: PSTMessage): Pick<OutlookMessage, "text" | "html"> {
  const text = orNone(item.body);
  const html = orNone(item.bodyHTML);
  const rtf = text === undefined && html === undefined ? orNone(attempt(() => item.bodyRTF, "")) : undefined;
  if (rtf === undefined) return { text, html };
  const read = attempt(() => readRtf(Buffer.from(rtf, "latin1")), undefined);
  return read?.is_html ? { html: orNone(read.text) } : { text: orNone(read?.text) };
}

function listAttachments(item: PSTMessage): OutlookAttachment[] {
  const count = attempt(() => item.numberOfAttachments, 0);
  return Array.from({ length: count }, (_, at) => attempt(() => readAttachment(item, at), undefined)).filter(
    (each) => each !== undefined,
  );
}

/** A file; an embedded message becomes its text, because the data file does not hold it as a file. */
function readAttachment(item: PSTMessage, at: number): OutlookAttachment | undefined {
  const attachment = item.getAttachment(at);
  const inner = attachment.embeddedPSTMessage;
  if (inner) {
    const { text, html } = readBodies(inner);
    const head = [inner.subject, inner.senderName, inner.senderEmailAddress].filter((line) => line !== "");
    const file_name = orNone(inner.subject);
    if (text === undefined && html !== undefined)
      return { file_name, mime_type: "text/html", bytes: Buffer.from(html) };
    return { file_name, mime_type: "text/plain", bytes: Buffer.from(`${head.join("\n")}\n\n${text ?? ""}`) };
  }
  const stream = attachment.fileInputStream;
  if (!stream) return undefined;
  const size = Number(stream.length);
  if (!(size >= 0 && size <= MESSAGE_MAX_BYTES)) return undefined;
  const bytes = Buffer.alloc(size);
  stream.readCompletely(bytes);
  const file_name = orNone(attachment.longFilename) ?? orNone(attachment.filename);
  return { file_name, mime_type: orNone(attachment.mimeTag), bytes };
}

function attempt<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
