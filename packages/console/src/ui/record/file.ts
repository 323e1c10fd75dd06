/** A file that a record refers to: its name, type and size, a download, and a picture where a browser shows it safely. */
import type { FieldView } from "@rungs/evidence";
import { type Html, html, when } from "../html.ts";
import { formatSize } from "../words.ts";

/** Bitmaps only: no format that can refer to something else. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const PICTURE_MAX_BYTES = 5_000_000;
/** Browsers show it in a viewer apart from the page. */
export const PDF = "application/pdf";

/** Renders a binary field; never its bytes (R33). */
export function renderFile({ path, binary, next }: FieldView): Html {
  const { mime_type = "", size_bytes = 0, filename } = binary ?? {};
  const blob_id = next?.operation === "read_blob" ? String(next.args.blob_id) : undefined;
  const href = `/console/blobs/${blob_id}`;
  const isPicture = blob_id !== undefined && PICTURES.has(mime_type) && size_bytes <= PICTURE_MAX_BYTES;
  return html`<div class="file">${when(isPicture, () => html`<img src="${href}" alt="${filename ?? path}" loading="lazy">`)}
<p>${filename ? html`<bdi>${filename}</bdi>, ` : ""}${mime_type}, ${formatSize(size_bytes)}</p>
${when(blob_id !== undefined, () => html`<p class="small"><a href="${href}" download="${filename ?? ""}">Download ${path}</a>${when(mime_type === PDF, () => html` · <a href="${href}?view=pdf" target="_blank" rel="noopener noreferrer">Open the PDF<span class="hidden"> in a new tab</span></a>`)}</p>`)}</div>`;
}
