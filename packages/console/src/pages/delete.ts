import { ApiError, presentRecord } from "@rungs/contract";
import { deleteData, listSources, parseDeletionTarget, previewDeletion } from "@rungs/server";
import { nameStreamsOf } from "../figures/sources.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField, renderHiddenFields } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { nameRecord } from "../ui/record/row.ts";
import { formatCount } from "../ui/words.ts";

const [PREVIEW_BYTES, TITLE_CHARS] = [1_000, 70];
type DeletionTarget = ReturnType<typeof parseDeletionTarget>;

/** Shows what a deletion would delete, and asks for confirmation: records and their streams by name, one record by a button. */
export const confirmDelete: Show = async (request) =>
  renderConfirmation(request, request.query("what") ?? "");

/** Deletes for good, once the name was repeated (R73). */
export const deleteByForm: Act = async (request, form) => {
  const what = form.get("what") ?? "";
  const target = parseDeletionTarget(what);
  if (target.record_id === undefined && form.get("confirm")?.trim() !== what)
    return renderConfirmation(request, what, `Type ${what} exactly. Nothing was deleted.`);
  await deleteData(request.context, target);
  const { connection_id, stream } = target;
  return redirectTo(stream === undefined ? "/console" : `/console/streams/${connection_id}/${stream}`);
};

async function renderConfirmation(request: OwnerRequest, what: string, problem?: string) {
  if (what === "")
    throw new ApiError("invalid_request", { param: "what", message: "Nothing was chosen to delete." });
  const target = parseDeletionTarget(what);
  const { record_count, streams, whole_connection } = await previewDeletion(request.context, target);
  const isOne = target.record_id !== undefined;
  const { connection_id } = target;
  const sources = await listSources(request.context);
  const nameStream = nameStreamsOf(sources);
  const source = sources.find((each) => each.connection_id === connection_id)?.display_name ?? connection_id;
  const record = isOne ? await nameOne(request, target) : "";
  const name = isOne
    ? `“${record}”`
    : target.stream === undefined
      ? source
      : nameStream(connection_id, target.stream);
  const body = html`<p class="lead">${formatCount(record_count, "record")}${whole_connection ? " and the source" : ""} will be gone for good,
with the text, what searches know of it, and the files that no other record refers to.</p>
${isOne ? "" : html`<ul>${streams.map((each) => html`<li dir="auto">${nameStream(connection_id, each.stream)}, ${formatCount(each.record_count, "record")}</li>`)}</ul>`}
<p>Backups and exports that were made before still hold them. Importing the same export again brings them back.</p>
<form method="post" action="/console/delete">${renderCsrfField(request)}${renderHiddenFields({ what })}
${isOne ? "" : renderNameField(what, problem)}
<div class="actions"><button class="danger">Delete for good</button> <a href="/console">Keep everything</a></div></form>`;
  return { title: `Delete ${name}?`, body };
}

/** The display title of a record. The audit log records the read for it. */
async function nameOne(
  { client }: OwnerRequest,
  { connection_id, stream, record_id }: DeletionTarget,
): Promise<string> {
  const record = await client.call("fetch", {
    connection_id,
    stream: stream ?? "",
    id: record_id ?? "",
    view: "preview",
  });
  return nameRecord(presentRecord(record, PREVIEW_BYTES), TITLE_CHARS);
}

function renderNameField(what: string, problem: string | undefined): Html {
  return html`${problem === undefined ? "" : html`<p role="alert">${problem}</p>`}
<p><label for="confirm">Type <strong>${what}</strong> to confirm</label> <input id="confirm" name="confirm" autocomplete="off" required></p>`;
}
