import { ApiError } from "@rungs/contract";
import type { ImportedConnection, ImportJobProgress, ImportOutcome } from "../context.ts";
import { findImport, type ImportJob, startImport } from "../imports/jobs.ts";
import { receiveUpload } from "../imports/receive-upload.ts";
import { redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { formatCount, formatNumber, formatSize } from "../ui/words.ts";

/** An import without progress for this long counts as interrupted. */
const STALLED_MS = 60_000;

/** The upload form. The file comes last, so that the other fields arrive before its first byte. */
export const showImportForm: Show = async (request) => ({
  title: "Import",
  body: request.context.importFile
    ? html`<p class="lead">Upload an export: mail, chats, an assistant's conversations, documents. The format is detected
from the content; importing a file again changes nothing.</p>
<form method="post" action="/console/import" enctype="multipart/form-data" class="card">${renderCsrfField(request)}
<label for="label">What you call it <span class="small">(optional)</span></label><input id="label" name="label" maxlength="200" autocomplete="off">
<label for="file">File</label><input id="file" name="file" type="file" required>
<button class="main">Upload and import</button></form>
<p class="small">For large archives <code>npx rungs import PATH</code> on the server does the same without the upload.</p>`
    : html`<p class="lead">This server takes no uploads. Import with <code>npx rungs import PATH</code>.</p>`,
});

/** Receives a file and starts its import. */
export const uploadImport: Show = async (request) => {
  const { context } = request;
  if (!context.importFile) throw new ApiError("not_implemented");
  const import_id = await startImport(context, context.importFile, await receiveUpload(request));
  return redirectTo(`/console/import/${import_id}`);
};

/** The progress of an import; the page reloads itself until the import ends. */
export const showImport: Show = async ({ context, param }) => {
  const job = await findImport(context, param("import_id"));
  if (!job)
    throw new ApiError("not_found", { message: "There is no such import.", next: "Look at your data." });
  const isStalled = context.now() - job.updated_at_ms > STALLED_MS;
  return {
    title: `Import of ${job.name}`,
    body: renderJob(job, isStalled),
    refresh: job.state === "running" && !isStalled ? { seconds: 1 } : undefined,
  };
};

function renderJob(job: ImportJob, is_stalled: boolean): Html {
  switch (job.state) {
    case "failed":
      return html`<p class="notice" role="alert">${job.message}</p><p>${job.next}</p>
<p><a href="/console/import">Import another file</a></p>`;
    case "done":
      return renderOutcome(job.outcome);
    case "running":
      return is_stalled ? renderStalled() : renderProgress(job.progress);
  }
}

function renderStalled(): Html {
  return html`<p class="notice" role="alert">This import has made no progress for a while: the server may have been
stopped. Upload the file again; records that were imported stay.</p>`;
}

function renderProgress({ read_bytes, total_bytes }: ImportJobProgress): Html {
  const isKnown = total_bytes > 0;
  const words = isKnown
    ? `${formatSize(read_bytes)} of ${formatSize(total_bytes)} read.`
    : "Looking at the file…";
  return html`<p role="status">${words}</p>
<progress aria-label="Import"${when(isKnown, () => html` value="${read_bytes}" max="${total_bytes}"`)}></progress>
<p class="small">You can leave this page; the import continues.</p>`;
}

function renderOutcome({ imports, left_out }: ImportOutcome): Html {
  return html`${imports.map(renderConnection)}
<p><a href="/console">Look at your data</a></p>
${when(
  left_out.length > 0,
  () => html`<h2>${formatCount(left_out.length, "file")} left out</h2>
<ul class="rows">${left_out.slice(0, SHOWN_FILES).map(({ path, reason }) => renderReason(path, reason))}</ul>`,
)}`;
}

const SHOWN_FILES = 100;

function renderConnection(imported: ImportedConnection): Html {
  const { connection_id, rejected, rejections } = imported;
  const counts = (["added", "changed", "unchanged", "rejected"] as const).map(
    (what) => `${formatNumber(imported[what])} ${what}`,
  );
  return html`<p class="lead" role="status">Done: ${counts.join(", ")}.</p>
<p>They are in the connection <strong>${connection_id}</strong>.</p>
${when(
  rejections.length > 0,
  () => html`<h2>${formatCount(rejected, "item")} rejected</h2>
<ul class="rows">${rejections.map(({ place, message }) => renderReason(place, message))}</ul>`,
)}`;
}

function renderReason(place: string, reason: string): Html {
  return html`<li><span>${place}</span> <span class="small">${reason}</span></li>`;
}
