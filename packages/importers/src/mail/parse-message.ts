import PostalMime, { type Email } from "postal-mime";
import { decodeText } from "../extract/decode-text.ts";
import { type MimePart, walkParts } from "./mime-walk.ts";
import { needsRepair, repairMessage } from "./repair-message.ts";

/** A parsed message, or why it was rejected. */
export type ParsedMessage =
  | { readonly kind: "mail"; readonly mail: Email }
  | { readonly kind: "rejected"; readonly reason: string };

/** The maximum number of parts: each costs memory out of proportion to its size. */
const PARTS_MAX = 10_000;

/** Parses a message. If its parts cannot be parsed, its raw body becomes the text, so that nothing is lost. */
export async function parseMessage(bytes: Buffer): Promise<ParsedMessage> {
  if (hasManyParts(bytes)) return { kind: "rejected", reason: `It has more than ${PARTS_MAX} parts.` };
  try {
    const mail = await parseRepaired(bytes);
    if (isEmpty(mail)) return { kind: "mail", mail: { ...mail, text: decodeBody(bytes) } };
    const isMixed = mail.text !== undefined && mail.html !== undefined && hasLonePage(bytes);
    return { kind: "mail", mail: isMixed ? { ...mail, text: undefined } : mail };
  } catch {
    return parseHeaderAlone(bytes);
  }
}

async function parseRepaired(bytes: Buffer): Promise<Email> {
  if (needsRepair(bytes)) return await PostalMime.parse(repairMessage(bytes));
  const mail = await PostalMime.parse(bytes);
  const garbled = `${mail.text ?? ""}${mail.html ?? ""}`.includes("\ufffd");
  return garbled ? await PostalMime.parse(repairMessage(bytes)) : mail;
}

/**
 * Whether an HTML part has no plain text alternative. The library writes such a part into the text of the message with
 * all its hidden text, so the text must come from the HTML.
 */
function hasLonePage(bytes: Buffer): boolean {
  const parts = [...walkParts(bytes)].filter(({ claims }) => !claims.attached);
  const isPage = ({ claims }: MimePart) => claims.type === "text/html";
  const plain = new Set(
    parts.filter(({ claims }) => /^(?:text\/plain)?$/.test(claims.type)).map((part) => part.alternative),
  );
  return parts.some(
    (part) => isPage(part) && (part.alternative === undefined || !plain.has(part.alternative)),
  );
}

function isEmpty({ text, html, attachments }: Email): boolean {
  return attachments.length === 0 && `${text ?? ""}${html ?? ""}`.trim() === "";
}

function decodeBody(bytes: Buffer): string {
  const [root] = walkParts(bytes);
  return decodeText(bytes.subarray(root?.header.end ?? bytes.length), root?.claims.charset);
}

/** The library gives up on deeply nested parts and on headers of more than 2 MiB. */
async function parseHeaderAlone(bytes: Buffer): Promise<ParsedMessage> {
  const [root] = walkParts(bytes);
  try {
    const mail = await PostalMime.parse(bytes.subarray(0, root?.header.end ?? 0));
    return { kind: "mail", mail: { ...mail, text: decodeBody(bytes), attachments: [] } };
  } catch {
    return { kind: "rejected", reason: "Its header is too large to be read." };
  }
}

const DASHES = Buffer.from("\n--");

function hasManyParts(bytes: Buffer): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(DASHES); at >= 0 && lines <= PARTS_MAX; at = bytes.indexOf(DASHES, at + 1))
    lines += 1;
  if (lines <= PARTS_MAX) return false;
  let parts = 0;
  for (const _ of walkParts(bytes)) {
    parts += 1;
    if (parts > PARTS_MAX) return true;
  }
  return false;
}
