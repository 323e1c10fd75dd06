/** Links to the pages before and after one, for lists whose cursors only lead forward: the address keeps the cursors that led here. */
import { type Html, html } from "./html.ts";
import { withQuery } from "./links.ts";
import { formatNumber } from "./words.ts";

const TRAIL_MAX = 8;

/** The position in a list. */
export interface PagePlace {
  readonly page: number;
  readonly cursor: string | undefined;
  /** The cursors of the pages before, the nearest last; the first page has an empty one. */
  readonly trail: readonly string[];
}

/** Parses the position in a list from the address. */
export function readPlace(query: (name: string) => string | undefined): PagePlace {
  const page = Number(query("page"));
  const cursor = query("cursor");
  return {
    page: Number.isSafeInteger(page) && page > 0 && cursor !== undefined ? page : 1,
    cursor,
    trail: cursor === undefined ? [] : (query("trail") ?? "").split(",").slice(-TRAIL_MAX),
  };
}

/** Renders the links; `path` is the list's address without its place. */
export function renderPager(
  path: string,
  { page, cursor, trail }: PagePlace,
  next_cursor: string | null | undefined,
): Html | string {
  if (cursor === undefined && !next_cursor) return "";
  const at = (place: { cursor: string; trail: string[]; page: number }) =>
    withQuery(path, {
      cursor: place.cursor || undefined,
      trail: place.cursor ? place.trail.join(",") : undefined,
      page: place.page,
    });
  const before = trail.at(-1);
  const previous =
    cursor === undefined
      ? html`<span></span>`
      : before === undefined || before === ""
        ? html`<a rel="prev" href="${path}">${page <= 2 ? "Previous page" : "First page"}</a>`
        : html`<a rel="prev" href="${at({ cursor: before, trail: trail.slice(0, -1), page: page - 1 })}">Previous page</a>`;
  const next = next_cursor
    ? html`<a rel="next" href="${at({ cursor: next_cursor, trail: [...trail, cursor ?? ""].slice(-TRAIL_MAX), page: page + 1 })}">Next page</a>`
    : html`<span></span>`;
  return html`<nav class="pages" aria-label="Pages">${previous}<span class="small">Page ${formatNumber(page)}</span>${next}</nav>`;
}
