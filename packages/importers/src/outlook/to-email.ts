import PostalMime, { type Address, type Email } from "postal-mime";
import type { OutlookMessage, OutlookPerson } from "./outlook-message.ts";

/** Converts an Outlook message to what the mail importer reads. Its internet header, if it has one, takes precedence. */
export async function toEmail(message: OutlookMessage): Promise<Email> {
  const sent = message.headers === undefined ? undefined : await parseHeader(message.headers);
  const people = (kind: "to" | "cc" | "bcc"): Address[] =>
    message.recipients.filter((each) => each.kind === kind).map(toAddress);
  const headers = sent?.headers ?? [];
  const isDated = headers.some(({ key }) => key === "date") || message.sent_at === undefined;
  const plain: Partial<Email> = {
    ...(message.from ? { from: toAddress(message.from) } : {}),
    ...(message.subject === undefined ? {} : { subject: message.subject }),
    ...(message.message_id === undefined ? {} : { messageId: message.message_id }),
    ...(message.in_reply_to === undefined ? {} : { inReplyTo: message.in_reply_to }),
    ...(message.references === undefined ? {} : { references: message.references }),
    to: people("to"),
    cc: people("cc"),
    bcc: people("bcc"),
  };
  const { headers: _, attachments: __, text: ___, html: ____, ...known } = sent ?? ({} as Partial<Email>);
  return {
    ...plain,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => isGiven(value))),
    headers: isDated ? headers : [...headers, toHeader("date", message.sent_at ?? "")],
    ...(message.text === undefined ? {} : { text: message.text }),
    ...(message.html === undefined ? {} : { html: message.html }),
    attachments: message.attachments.map(({ file_name, mime_type, bytes }) => ({
      filename: file_name ?? null,
      mimeType: mime_type ?? "application/octet-stream",
      disposition: "attachment" as const,
      content: new Uint8Array(bytes),
    })),
  } as Email;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function toHeader(key: string, value: string): Email["headers"][number] {
  return { key, originalKey: key, value };
}

function toAddress({ name, address }: OutlookPerson): Address {
  return { name: name === address ? "" : name, address } as Address;
}

/** Drops the header fields of the body: Outlook keeps decoded parts, not the original body. */
async function parseHeader(headers: string): Promise<Email | undefined> {
  const fields = headers.replaceAll("\r\n", "\n").split(/\n(?![ \t])/);
  const kept = fields.filter(
    (field) => /^[!-9;-~]+:/.test(field) && !/^(?:content-|mime-version)/i.test(field),
  );
  try {
    return await PostalMime.parse(`${kept.join("\r\n")}\r\n\r\n`);
  } catch {
    return undefined;
  }
}
