/** One message as items: its record, then one for each of its attachments. */

import { createHash } from "node:crypto";
import type { ImportedItem } from "@rungs/contract";
import type { Email } from "postal-mime";
import type { ItemServices } from "../importer.ts";
import { toRecordItem } from "../record-item.ts";
import { decodeAttachment, readAttachment } from "./attachment.ts";
import {
  findDate,
  findHeaders,
  findVeiledSender,
  isExpunged,
  parseGmailLabels,
  parseMessageIds,
  renderAddresses,
} from "./mail-headers.ts";
import type { MaildirPlace } from "./maildir.ts";
import { findBody } from "./message-body.ts";
import { type ParsedMessage, parseMessage } from "./parse-message.ts";

/** A message and where it was found. */
export interface FoundMessage {
  /** The stored bytes, or the parsed message. */
  readonly content: Buffer | Email;
  readonly place: string;
  /** The `From ` line of an mbox file. */
  readonly separator?: string | undefined;
  readonly maildir?: MaildirPlace | undefined;
  readonly flags?: readonly string[] | undefined;
  /** Gmail's thread id, where the server has it and the message does not. */
  readonly thread_id?: string | undefined;
  /** The conversation, for a message whose header names none. */
  readonly conversation?: string | undefined;
  /** The folder of the mail program that it is in. */
  readonly folder?: string | undefined;
}

/** The items of a message; one rejected item when it cannot be read. */
export async function* readMailItem(source: ItemServices, found: FoundMessage): AsyncGenerator<ImportedItem> {
  const { place, content } = found;
  const parsed: ParsedMessage =
    content instanceof Uint8Array ? await parseMessage(content) : { kind: "mail", mail: content };
  if (parsed.kind === "rejected") {
    yield { kind: "rejected", place, reason: parsed.reason };
    return;
  }
  const { mail } = parsed;
  if (hasNoContent(mail)) {
    yield { kind: "rejected", place, reason: "It has no sender, subject or date, and no text." };
    return;
  }
  const header = describeMessage(mail, found);
  const labels = parseGmailLabels(mail);
  // Gmail's labels are the folders of its messages; the file that holds all of them is not a folder.
  const folder = labels.length > 0 && !found.maildir ? undefined : found.folder;
  const flags = isExpunged(mail) ? ["deleted"] : (found.maildir?.flags ?? found.flags ?? []);
  const state = { labels: [...new Set([...labels, ...(folder === undefined ? [] : [folder])])], flags };
  const id = createMessageKey(mail, [header, folder, flags.includes("deleted")]);
  yield toRecordItem("messages", place, {
    id,
    ...header,
    ...findVeiledSender(mail),
    ...(await findBody(mail, source)),
    ...state,
  });
  for (const [at, attachment] of mail.attachments.entries()) {
    yield toRecordItem("attachments", `${place}, attachment ${at + 1}`, {
      id: `${id}~${at + 1}`,
      message_record_id: id,
      date: header.date,
      ...(await readAttachment(source, attachment)),
    });
  }
}

/** Whether nothing in a message is worth a record: no header that a mail program writes, no text, no attachment. */
function hasNoContent({
  subject,
  from,
  to,
  messageId,
  date,
  text = "",
  html = "",
  attachments,
}: Email): boolean {
  const header = [subject, from, to?.[0], messageId, date];
  return header.every((each) => !each) && `${text}${html}`.trim() === "" && attachments.length === 0;
}

/**
 * The header fields that are the same in every copy of a message. They are part of the key: adding one changes all
 * keys.
 */
function describeMessage(mail: Email, { separator, conversation, thread_id }: FoundMessage) {
  const [message_id] = parseMessageIds(mail.messageId);
  const [in_reply_to] = parseMessageIds(mail.inReplyTo);
  const [root] = parseMessageIds(mail.references);
  const [from] = renderAddresses(mail.from && [mail.from]);
  return {
    subject: mail.subject,
    from,
    from_address: mail.from?.address ?? mail.from?.group?.[0]?.address,
    to: renderAddresses(mail.to),
    cc: renderAddresses(mail.cc),
    bcc: renderAddresses(mail.bcc),
    ...findDate(mail, separator),
    message_id,
    thread_id:
      findHeaders(mail, "x-gm-thrid")[0] ?? thread_id ?? root ?? in_reply_to ?? message_id ?? conversation,
    in_reply_to,
    list_id: findHeaders(mail, "list-id")[0],
    attachment_count: mail.attachments.length,
    size_bytes: measureContent(mail),
  };
}

const ID_MAX_CHARS = 400;
const DIGEST_CHARS = 16;

/**
 * The key of a message: its Message-ID and a digest of its content and of `header`. Two messages with one Message-ID are
 * two records, in whatever order they are found. Labels and other state are left out, so that a later export updates the
 * record.
 */
function createMessageKey(mail: Email, header: unknown): string {
  const digest = digestMessage(mail, header);
  const id =
    parseMessageIds(mail.messageId)[0]
      ?.replace(/\p{Cc}/gu, "")
      .toWellFormed() ?? "";
  return id === "" || id.length > ID_MAX_CHARS ? `mail~${digest}` : `${id}~${digest.slice(0, DIGEST_CHARS)}`;
}

/** A digest of the decoded content: line endings and transfer encodings make no difference. */
function digestMessage(mail: Email, header: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify([header, ...listBodies(mail)]));
  for (const attachment of mail.attachments) {
    const bytes = decodeAttachment(attachment);
    hash.update(JSON.stringify([attachment.filename, attachment.mimeType, bytes.length])).update(bytes);
  }
  return hash.digest("hex").slice(0, 32);
}

/** The decoded size of the text and the attachments. */
function measureContent(mail: Email): number {
  const texts = listBodies(mail).map((text) => Buffer.byteLength(text));
  const files = mail.attachments.map((attachment) => decodeAttachment(attachment).length);
  return [...texts, ...files].reduce((sum, size) => sum + size, 0);
}

function listBodies({ text = "", html = "" }: Email): string[] {
  return [text, html].map((each) => each.replaceAll("\r\n", "\n").trimEnd());
}
