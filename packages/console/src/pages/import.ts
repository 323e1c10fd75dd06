import { rm } from "node:fs/promises";
import { ApiError } from "@rungs/contract";
import {
  findImportRun,
  type ImportRecorder,
  type ImportRun,
  isImportRunning,
  listImportRuns,
  recordImport,
  stopImport,
} from "@rungs/server";
import { createStreamNamer } from "../figures/sources.ts";
import { receiveUpload } from "../imports/receive-upload.ts";
import { runUpload } from "../imports/run-upload.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { renderRun, renderRunRow } from "../ui/import-run.ts";
import { type Option, renderOptions } from "../ui/options.ts";
import { renderRowPage } from "../ui/row-pages.ts";

const SHOWN_RUNS = 50;
const RUNS_BYTES = 8_000;
/** The part of the page that the script refreshes while an import runs. */
const RUN = "run";
/** How often a page with a running import reloads itself. */
const REFRESH_SECONDS = 2;

/** The upload form, and the imports so far. */
export const showImportForm: Show = async (request) => {
  const runs = (await listImportRuns(request.context)).slice(0, SHOWN_RUNS);
  const place = { query: request.query, path: "/console/import", name: "from", most_bytes: RUNS_BYTES };
  const nameSource = await createStreamNamer(request.context);
  const { rows, pages } = await renderRowPage(place, runs, (run) => renderRunRow(run, nameSource));
  return {
    title: "Import",
    body: html`${
      request.context.importFile
        ? html`<p class="lead">Upload an export: mail, chats, an assistant's conversations, documents. The format is detected
from the content; importing a file again changes nothing.</p>
<form method="post" action="/console/import" enctype="multipart/form-data" class="card drop" data-upload>${renderCsrfField(request)}
<label for="file">Files</label><input id="file" name="file" type="file" multiple required>
<label class="check"><input type="checkbox" name="look" value="yes"> First say what it is, and store nothing yet</label>
<details class="options"><summary>Name and format</summary><label for="label">Name</label><input id="label" name="label" maxlength="200" autocomplete="off" placeholder="That of the format and the file">
<label for="format">Format</label><select id="format" name="format">${renderFormats(request)}</select></details>
<button class="main">Upload and import</button></form>
<p class="small">A mailbox, calendars, contacts or a folder can also <a href="/console/sync">keep itself up to date</a>.</p>
<p class="small">For large archives <code>npx rungs import PATH${request.context.command_options}</code> on the server does the same without the upload.</p>`
        : html`<p class="lead">This server takes no uploads. Import with <code>npx rungs import PATH${request.context.command_options}</code>.</p>`
    }
${when(runs.length > 0, () => html`<h2>Imports</h2><ul class="rows">${rows}</ul>${pages}`)}`,
  };
};

/** Receives a file and starts its import; both are recorded under one id. */
export const uploadImport: Show = async (request) => {
  const { context, raw } = request;
  const { importFile } = context;
  if (!importFile) throw new ApiError("not_implemented");
  const turn = await context.importTurns.takeUpload(context.owner_id);
  let recorder: ImportRecorder | undefined;
  try {
    const total_bytes = Number(raw.headers.get("Content-Length")) || 0;
    const upload = await receiveUpload(request, async (name) => {
      const started = await recordImport(context, { name, origin: "upload" });
      recorder = started;
      return (read_bytes) => started.report({ read_bytes, total_bytes, items: 0 }, "receiving");
    });
    const started = recorder!;
    void runUpload(started, { ...context, importFile }, upload).finally(turn.end);
    return redirectTo(`/console/import/${started.import_id}`);
  } catch (error) {
    turn.end();
    await recorder?.fail(error);
    throw error;
  }
};

/** The progress of an import; the page reloads itself until the import ends. */
export const showImport: Show = async (request) => {
  const run = await requireRun(request);
  const nameSource = await createStreamNamer(request.context);
  return {
    title: `Import of ${run.name}`,
    body: html`<div id="${RUN}">${await renderRun(run, renderLookedAt(request, run), nameSource, request.query)}
${
  isImportRunning(run)
    ? html`<form method="post" action="/console/import/${run.import_id}/stop">${renderCsrfField(request)}
<div class="actions"><button>Stop this import</button> <a href="/console/import">All imports</a></div></form>`
    : html`<p><a href="/console/import">All imports</a></p>`
}</div>`,
    refresh: isImportRunning(run) ? { seconds: REFRESH_SECONDS, part: RUN } : undefined,
  };
};

/** Imports an inspected upload, or removes it. */
export const importLookedAt: Act = async (request, form) => {
  const { context } = request;
  const { import_id } = await requireRun(request);
  const take = () => context.uploads.take(import_id);
  if (form.get("do") === "discard") {
    const upload = take();
    if (upload) await rm(upload.folder, { recursive: true, force: true });
    return redirectTo("/console/import");
  }
  const { importFile, uploads, importTurns, owner_id } = context;
  if (!uploads.find(import_id) || !importFile) throw createNotHere();
  const turn = await importTurns.takeUpload(owner_id);
  const upload = uploads.take(import_id);
  try {
    if (!upload) throw createNotHere();
    const started = await recordImport(context, { name: upload.name, origin: "upload" });
    const format = form.get("format") || undefined;
    void runUpload(started, { ...context, importFile }, { ...upload, format, is_look: false }).finally(
      turn.end,
    );
    return redirectTo(`/console/import/${started.import_id}`);
  } catch (error) {
    turn.end();
    if (upload) uploads.keep(import_id, upload);
    throw error;
  }
};

function createNotHere(): ApiError {
  return new ApiError("not_found", {
    message: "The upload is not here any more: it was imported or discarded, or an hour has passed.",
    next: "Upload it again.",
  });
}

/** The actions for an inspected upload: import it as detected, or as another format. */
function renderLookedAt(request: OwnerRequest, { import_id }: ImportRun): Html | undefined {
  const { uploads } = request.context;
  const upload = uploads.find(import_id);
  if (!upload) return undefined;
  return html`<form method="post" action="/console/import/${import_id}/upload" class="card">${renderCsrfField(request)}
<p role="status">Nothing was stored. The upload stays here for an hour.</p>
<label for="format">Format</label><select id="format" name="format">${renderFormats(request, upload.format)}</select>
<div class="actions"><button class="main" name="do" value="import">Import it</button> <button name="do" value="discard">Discard it</button></div></form>`;
}

function renderFormats({ context }: OwnerRequest, chosen = ""): Html[] {
  const formats = (context.formats ?? []).map(({ id, label }): Option => [id, label]);
  return renderOptions([["", "Detect it from the content"], ...formats], chosen);
}

/** Asks a running import to stop, and shows it. */
export const stopImportByForm: Act = async (request) => {
  const { import_id } = await requireRun(request);
  await stopImport(request.context, import_id);
  return redirectTo(`/console/import/${import_id}`);
};

async function requireRun({ context, param }: OwnerRequest): Promise<ImportRun> {
  const run = await findImportRun(context, param("import_id"));
  if (run) return run;
  throw new ApiError("not_found", { message: "There is no such import.", next: "Look at your data." });
}
