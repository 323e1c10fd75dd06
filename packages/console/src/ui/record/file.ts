/**
 * A file that a record refers to: its name, type and size, a download, and a preview of pictures that browsers show
 * safely.
 */
import type { FieldView } from "@rungs/evidence";
import { type Html, html, when } from "../html.ts";
import { formatSize } from "../words.ts";

/** Bitmaps only: no format that can refer to something else. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const PICTURE_MAX_BYTES = 5_000_000;
/** Browsers show it in a viewer separate from the page. */
export const PDF = "application/pdf";

/** The URL of a picture that a browser may show inline. */
export function findPicture({ binary, next }: FieldView): string | undefined {
  const { mime_type = "", size_bytes = 0 } = binary ?? {};
  const isShown = PICTURES.has(mime_type) && size_bytes <= PICTURE_MAX_BYTES;
  return isShown ? findFile(next) : undefined;
}

function findFile(next: FieldView["next"]): string | undefined {
  return next?.operation === "read_blob" ? `/console/blobs/${String(next.args.blob_id)}` : undefined;
}

/** Renders a binary field; never its bytes (R33). */
export function renderFile(field: FieldView): Html {
  const { path, binary, next } = field;
  const { mime_type = "", size_bytes = 0, filename } = binary ?? {};
  return html`<div class="file">${when(findPicture(field), (src) => html`<img src="${src}" alt="${filename ?? path}" loading="lazy">`)}
<p>${filename ? html`<bdi>${filename}</bdi>, ` : ""}${nameType(mime_type)}, ${formatSize(size_bytes)}</p>
${when(findFile(next), (href) => html`<p class="small"><a href="${href}" download="${filename ?? ""}">Download ${path}</a>${when(mime_type === PDF, () => html` · <a href="${href}?view=pdf" target="_blank" rel="noopener noreferrer">Open the PDF<span class="hidden"> in a new tab</span></a>`)}</p>`)}</div>`;
}

/** Types with a common name different from their subtype. */
const TYPES: Readonly<Record<string, string>> = {
  "text/plain": "Text",
  "application/octet-stream": "File",
  "message/rfc822": "Mail",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
  "application/msword": "Word document",
};

/** The common name of a file type, such as `PDF` or `JPEG picture`. A long or unknown name stays unchanged. */
export function nameType(mime_type: string): string {
  const [kind = "", name = ""] = mime_type.split("/");
  const known = TYPES[mime_type];
  if (known !== undefined || !/^(?!x-)[a-z]{2,5}$/.test(name)) return known ?? mime_type;
  const nouns: Readonly<Record<string, string>> = { image: " picture", audio: " sound", video: " video" };
  return `${name.toUpperCase()}${nouns[kind] ?? ""}`;
}
