import { detectKind } from "../extract/document-kind.ts";
import { type Property, paramTexts } from "../vobject/properties.ts";

/** A picture inside a card, or where the card says that one is. */
export type Photo =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mime_type: string }
  | { readonly kind: "url"; readonly url: string };

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** Reads a PHOTO property of any version; undefined when it is neither bytes nor an address. */
export function readPhoto(property: Property): Photo | undefined {
  const { raw } = property;
  if (/^https?:/i.test(raw)) return { kind: "url", url: raw };
  const [prefix = "", type] = DATA_URL.exec(raw) ?? [];
  const encoded = raw.slice(prefix.length);
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length === 0) return undefined;
  const named = paramTexts(property, "type")[0]?.toLowerCase();
  const claimed = type || (named === undefined ? "application/octet-stream" : `image/${named}`);
  const { kind, mime_type } = detectKind({ bytes, mime_type: claimed });
  return { kind: "bytes", bytes, mime_type: kind === "other" ? mime_type : claimed };
}
