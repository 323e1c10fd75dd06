/** One message as items: its record, then one for each of its attachments. */
import type { ImportedItem } from "@rungs/contract";
import type { Email } from "postal-mime";
import type { ItemServices } from "../importer.ts";
import { toRecordItem } from "../record-item.ts";
import { readAttachment } from "./attachment.ts";
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
import { createMessageKey, measureContent } from "./message-key.ts";
import { type ParsedMessage, parseMessage } from "./parse-message.ts";

/** A message and where it was found. */
export interface FoundMessage {
  /** As it is stored, or parsed already. */
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

/** The fields of the header, the same in every copy of a message. They are part of the key: adding one changes all keys. */
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
