/** MSG files ([MS-OXMSG]), read in the extraction process. */
import { decompressRTF } from "@kenjiuno/decompressrtf";
import Module, { type FieldsData } from "@kenjiuno/msgreader";
import { decodeText } from "../extract/decode-text.ts";
import { requireOleChains } from "../extract/ole-file.ts";
import { findCodePage } from "../extract/rtf-charsets.ts";
import { readRtf } from "../extract/rtf-text.ts";
import { Unreadable } from "../extract/unreadable.ts";
import { type OutlookAttachment, type OutlookMessage, orNone, toPerson } from "./outlook-message.ts";

// The package is CommonJS, whose default export Node puts one level deeper.
const MsgReader = Module.default;

const IN_REPLY_TO = /^1042001[EF]$/i;
const REFERENCES = /^1039001[EF]$/i;
const CONVERSATION_INDEX = /^00710102$/i;
/** The part of a conversation index that all messages of the conversation share ([MS-OXOMSG] §2.2.1.3). */
const CONVERSATION_BYTES = 22;
const READ = 0x1;
const UNSENT = 0x8;

/** Reads a message from the bytes of an MSG file. */
export function readMsg(bytes: Uint8Array): OutlookMessage {
  requireOleChains(bytes);
  const reader = new MsgReader(new Uint8Array(bytes).buffer);
  reader.parserConfig = { includeRawProps: true };
  const fields = reader.getFileData();
  if (fields.error !== undefined || fields.dataType !== "msg")
    throw new Unreadable("It is not an Outlook message.");
  const flags = fields.messageFlags ?? READ;
  const index = findRaw(fields, CONVERSATION_INDEX);
  const attachments = (fields.attachments ?? []).map((each) => readAttachment(reader, each));
  return {
    headers: orNone(fields.headers),
    subject: orNone(fields.subject),
    from: toSender(fields),
    recipients: (fields.recipients ?? []).map(({ name, smtpAddress, email, recipType }) => ({
      kind: recipType ?? "to",
      ...toPerson(name, smtpAddress, email),
    })),
    sent_at: toTime(fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime),
    message_id: orNone(fields.messageId),
    in_reply_to: findText(fields, IN_REPLY_TO),
    references: findText(fields, REFERENCES),
    conversation:
      index instanceof Uint8Array
        ? Buffer.from(index.subarray(0, CONVERSATION_BYTES)).toString("hex")
        : undefined,
    ...readBodies(fields),
    is_read: (flags & READ) !== 0,
    is_draft: (flags & UNSENT) !== 0,
    attachments: attachments.filter((each) => each !== undefined),
  };
}

function toSender(fields: FieldsData): OutlookMessage["from"] {
  const { senderName, senderSmtpAddress, sentRepresentingSmtpAddress, senderEmail, creatorSMTPAddress } =
    fields;
  if (orNone(senderName) === undefined && orNone(senderEmail) === undefined) return undefined;
  return toPerson(
    senderName,
    senderSmtpAddress,
    sentRepresentingSmtpAddress,
    senderEmail,
    creatorSMTPAddress,
  );
}

/** The plain text and the HTML of a message; its RTF, if it has neither. */
function readBodies(fields: FieldsData): Pick<OutlookMessage, "text" | "html"> {
  const text = orNone(fields.body);
  const html = orNone(
    fields.bodyHtml ?? (fields.html && decodeText(fields.html, findCodePage(fields.internetCodepage))),
  );
  if (text !== undefined || html !== undefined || !fields.compressedRtf) return { text, html };
  const rtf = readRtf(Uint8Array.from(decompressRTF([...fields.compressedRtf])));
  return rtf.is_html ? { html: orNone(rtf.text) } : { text: orNone(rtf.text) };
}

function readAttachment(
  reader: InstanceType<typeof MsgReader>,
  fields: FieldsData,
): OutlookAttachment | undefined {
  try {
    const { fileName, content } = reader.getAttachment(fields);
    const file_name = orNone(fileName) ?? orNone(fields.name);
    const mime_type = fields.innerMsgContent ? "application/vnd.ms-outlook" : orNone(fields.attachMimeTag);
    return { file_name, mime_type, bytes: content };
  } catch {
    return undefined;
  }
}

function findRaw({ rawProps = [] }: FieldsData, tag: RegExp): string | Uint8Array | undefined {
  return rawProps.find(({ propertyTag = "" }) => tag.test(propertyTag))?.value;
}

function findText(fields: FieldsData, tag: RegExp): string | undefined {
  const value = findRaw(fields, tag);
  return typeof value === "string" ? orNone(value) : undefined;
}

function toTime(text: string | undefined): string | undefined {
  const time = new Date(text ?? "");
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
