/** The streams to choose from, by source, each chosen one with its narrowing. */
import type { ChosenStream, GrantableStream, GrantableStreams } from "@rungs/server";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Html, html, when } from "../ui/html.ts";
import { formatNumber, shorten } from "../ui/words.ts";
import { type ChosenPage, matchesFilter, nameStream, packStreams, pageChosen } from "./chosen-page.ts";
import { type FieldChoices, listFieldChoices } from "./field-choices.ts";
import { renderNarrowing } from "./narrowing.ts";
import { type SubmittedChoice, writeStream } from "./read-choice.ts";

/** The part of the page that the script refreshes after a change. */
export const STREAMS = "streams";
/** A shorter list needs no filter. */
const FILTERED_STREAMS = 6;
/**
 * How many sources to list, where a chosen one counts as three, and the minimum of unchosen ones; the filter finds the
 * rest.
 */
const [LISTED_SOURCES, LISTED_LEAST] = [12, 3];

/** Renders the list; reads what the chosen streams can be narrowed to. */
export async function renderStreamList(
  request: OwnerRequest,
  offered: readonly GrantableStreams[],
  choice: SubmittedChoice,
): Promise<Html> {
  const { filter, decision } = choice;
  const groups: Html[] = [];
  const page = pageChosen(choice, offered);
  const found = offered.filter((group) => isListed(group, choice, page));
  const others = found.filter((group) => !hasChosen(group, page.shown));
  const room = LISTED_SOURCES - 3 * (found.length - others.length);
  const unlisted = others.slice(Math.max(LISTED_LEAST, room));
  for (const group of found)
    if (!unlisted.includes(group)) groups.push(await renderGroup(request, group, choice, page));
  const count = offered.reduce((sum, { streams }) => sum + streams.length, 0);
  return html`<div id="${STREAMS}" class="choices">${when(
    count >= FILTERED_STREAMS,
    () => html`<div class="finder"><label for="filter">Filter the sources</label>
<input id="filter" name="filter" type="search" value="${filter}" autocomplete="off"><button class="quiet" name="do" value="update" formnovalidate>Filter</button></div>`,
  )}${renderPageFields(page, offered)}${groups}${when(page.count > 1, () => renderPages(page))}${when(
    unlisted.length > 0,
    () => html`<p class="small">${formatNumber(unlisted.length)} more: filter by their name.</p>`,
  )}${when(count > 0 && isEmpty(offered, choice), () => html`<p>No source has “${filter}” in its name.</p>`)}
${when(decision.streams.length === 0 && count === 0, () => html`<p>There is nothing to give yet. <a href="/console/import">Import something</a></p>`)}</div>`;
}

/** The hidden state of the form: the page, what it shows, and what the other pages hold. */
function renderPageFields({ number, shown, kept }: ChosenPage, offered: readonly GrantableStreams[]): Html {
  const find = ({ connection_id, stream }: ChosenStream) =>
    offered
      .find((group) => group.connection_id === connection_id)
      ?.streams.find((one) => one.stream === stream);
  const packed = packStreams(
    new Map(
      kept.flatMap((each) => {
        const stream = find(each);
        return stream ? [[nameStream(each), writeStream(each, stream)] as const] : [];
      }),
    ),
  );
  return html`<input type="hidden" name="page" value="${number}">${shown.map(({ connection_id, stream }) => html`<input type="hidden" name="was" value="${connection_id}/${stream}">`)}${packed === "" ? "" : html`<input type="hidden" name="kept" value="${packed}">`}`;
}

function renderPages({ number, count, first, shown, found }: ChosenPage): Html {
  const step = (to: number, words: string) =>
    to < 1 || to > count
      ? html`<span></span>`
      : html`<button class="quiet" name="do" value="page:${to}" formnovalidate>${words}</button>`;
  return html`<div class="pages">${step(number - 1, "Previous chosen")}<span class="small">Chosen ${formatNumber(first + 1)} to ${formatNumber(first + shown.length)} of ${formatNumber(found)}</span>${step(number + 1, "Next chosen")}</div>`;
}

function isShown(
  { display_name }: GrantableStreams,
  { label }: GrantableStream,
  { filter }: SubmittedChoice,
): boolean {
  return matchesFilter(`${display_name} ${label}`, filter);
}

function isEmpty(offered: readonly GrantableStreams[], choice: SubmittedChoice): boolean {
  return !offered.some((group) => group.streams.some((stream) => isShown(group, stream, choice)));
}

function hasChosen({ connection_id, streams }: GrantableStreams, chosen: readonly ChosenStream[]): boolean {
  return streams.some(({ stream }) => findChosen(chosen, connection_id, stream));
}

function isListed(group: GrantableStreams, choice: SubmittedChoice, { shown, kept }: ChosenPage): boolean {
  const isOffered = ({ stream }: GrantableStream) => !findChosen(kept, group.connection_id, stream);
  return (
    hasChosen(group, shown) ||
    group.streams.some((stream) => isOffered(stream) && isShown(group, stream, choice))
  );
}

/** A chosen stream of the page stays whatever the filter says. */
async function renderGroup(
  request: OwnerRequest,
  group: GrantableStreams,
  choice: SubmittedChoice,
  { shown, kept }: ChosenPage,
): Promise<Html> {
  const { connection_id, display_name, streams } = group;
  const rows: Html[] = [];
  const isChosen = ({ stream }: GrantableStream) =>
    findChosen(choice.decision.streams, connection_id, stream);
  for (const stream of streams) {
    if (findChosen(kept, connection_id, stream.stream)) continue;
    const chosen = findChosen(shown, connection_id, stream.stream);
    if (chosen || isShown(group, stream, choice))
      rows.push(await renderStream(request, connection_id, { offered: stream, chosen }, choice));
  }
  const which = streams.every(isChosen) ? "none" : "all";
  return html`<fieldset class="card"><legend dir="auto">${display_name}</legend>${when(
    streams.length > 1,
    () =>
      html`<button class="quiet all" name="do" value="${which}:${connection_id}" formnovalidate>${which === "all" ? "All of these" : "None of these"}<span class="hidden"> in ${shorten(display_name)}</span></button>`,
  )}${rows}</fieldset>`;
}

function findChosen(chosen: readonly ChosenStream[], connection_id: string, stream: string) {
  return chosen.find((each) => each.connection_id === connection_id && each.stream === stream);
}

async function renderStream(
  request: OwnerRequest,
  connection_id: string,
  { offered, chosen }: { readonly offered: GrantableStream; readonly chosen: ChosenStream | undefined },
  { decision, finds }: SubmittedChoice,
): Promise<Html> {
  const { stream, label } = offered;
  const name = `${connection_id}/${stream}`;
  const find = finds.get(name) ?? "";
  const choices: FieldChoices[] = chosen
    ? await listFieldChoices(request, { connection_id, stream }, offered, { where: chosen.where ?? [], find })
    : [];
  return html`<div class="stream"><label class="check"><input type="checkbox" name="stream" value="${name}"${chosen ? html` checked` : ""}> ${label}</label>
${when(chosen, (own) => renderNarrowing({ name, offered, chosen: own, choices, find, has_masks: decision.masks !== undefined }))}</div>`;
}
