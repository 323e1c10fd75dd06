import { createHash } from "node:crypto";
import type { Email } from "postal-mime";
import { decodeAttachment } from "./attachment.ts";
import { parseMessageIds } from "./mail-headers.ts";

const ID_MAX_CHARS = 400;
const DIGEST_CHARS = 16;

/**
 * The key of a message: its Message-ID and a digest of its content and of `header`. Two messages with one Message-ID are
 * two records, in whatever order they are found. Labels and other state are left out, so that a later export updates the
 * record.
 */
export function createMessageKey(mail: Email, header: unknown): string {
  const digest = digestMessage(mail, header);
  const id =
    parseMessageIds(mail.messageId)[0]
      ?.replace(/\p{Cc}/gu, "")
      .toWellFormed() ?? "";
  return id === "" || id.length > ID_MAX_CHARS ? `mail~${digest}` : `${id}~${digest.slice(0, DIGEST_CHARS)}`;
}

/** Over the decoded content: line endings and transfer encodings make no difference. */
function digestMessage(mail: Email, header: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify([header, ...listBodies(mail)]));
  for (const attachment of mail.attachments) {
    const bytes = decodeAttachment(attachment);
    hash.update(JSON.stringify([attachment.filename, attachment.mimeType, bytes.length])).update(bytes);
  }
  return hash.digest("hex").slice(0, 32);
}

/** The decoded size of the text and the attachments. */
export function measureContent(mail: Email): number {
  const texts = listBodies(mail).map((text) => Buffer.byteLength(text));
  const files = mail.attachments.map((attachment) => decodeAttachment(attachment).length);
  return [...texts, ...files].reduce((sum, size) => sum + size, 0);
}

function listBodies({ text = "", html = "" }: Email): string[] {
  return [text, html].map((each) => each.replaceAll("\r\n", "\n").trimEnd());
}
