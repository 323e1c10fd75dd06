import type { ImportedItem } from "@rungs/contract";
import { detectKind } from "../extract/document-kind.ts";
import type { FileEntry } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { toRecordItem } from "../record-item.ts";
import { readComponents } from "../vobject/components.ts";
import { readContentLines } from "../vobject/content-lines.ts";
import { type ComponentNames, readEach, recogniseComponents } from "../vobject/files.ts";
import { numberItems } from "../vobject/items.ts";
import { listParamTexts, type Property } from "../vobject/properties.ts";
import { readCard, type VCard } from "./contact-record.ts";
import { contactsManifest } from "./manifest.ts";

const CARD = "VCARD";
const NAMES: ComponentNames = { first: CARD, inner: [] };

/** Contacts: vCard 2.1, 3.0 and 4.0, with Apple's groups. */
export const contacts: Importer = {
  id: "contacts",
  label: "contacts (vCard)",
  get manifest() {
    return contactsManifest();
  },
  recognition: { kind: "file", recognise: (sample) => recogniseComponents(sample, NAMES) },
  read: (source) =>
    numberItems(
      readEach(source.files, NAMES, (entry) => readFile(entry, source)),
      source.resume,
    ),
};

async function* readFile(entry: FileEntry, source: ImportSource): AsyncGenerator<ImportedItem> {
  const reject = (line: number, reason: string): ImportedItem => ({
    kind: "rejected",
    place: `${entry.path}, line ${line}`,
    reason,
  });
  for await (const component of readComponents(readContentLines(entry))) {
    if (component.kind === "broken") {
      yield reject(component.line, component.reason);
      continue;
    }
    const line = component.lines[0]?.number ?? 0;
    const card = component.name === CARD ? readCard(component.lines) : undefined;
    if (!card) yield reject(line, "Not a contact: it has no name, organization, address or number.");
    else {
      yield await writeCard(card, `${entry.path}, line ${line}`, source);
      for (const { number } of card.broken)
        yield reject(number, "The line cannot be read; the rest of its card was.");
    }
  }
}

async function writeCard({ data, photo }: VCard, place: string, source: ImportSource): Promise<ImportedItem> {
  return toRecordItem("contacts", place, { ...data, ...(photo ? await keepPhoto(photo, source) : {}) });
}

async function keepPhoto(property: Property, source: ImportSource): Promise<object> {
  const photo = readPhoto(property);
  if (photo?.kind === "url") return { photo_url: photo.url };
  if (!photo) return {};
  const { bytes, mime_type } = photo;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  return { photo: await source.putBlob(pieces(), mime_type) };
}

/** A picture inside a card, or its URL. */
type Photo =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mime_type: string }
  | { readonly kind: "url"; readonly url: string };

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** Reads a PHOTO property of any version; undefined if it is neither bytes nor a URL. */
function readPhoto(property: Property): Photo | undefined {
  const { raw } = property;
  if (/^https?:/i.test(raw)) return { kind: "url", url: raw };
  const [prefix = "", type] = DATA_URL.exec(raw) ?? [];
  const encoded = raw.slice(prefix.length);
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length === 0) return undefined;
  const named = listParamTexts(property, "type")[0]?.toLowerCase();
  const claimed = type || (named === undefined ? "application/octet-stream" : `image/${named}`);
  const { kind, mime_type } = detectKind({ bytes, mime_type: claimed });
  return { kind: "bytes", bytes, mime_type: kind === "other" ? mime_type : claimed };
}
