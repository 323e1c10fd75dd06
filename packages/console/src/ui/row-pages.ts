/** Pagination of a long list: as many rows as fit its share of a page, and links to the rest. */
import { type Html, html } from "./html.ts";
import { withQuery } from "./links.ts";
import { formatNumber } from "./words.ts";

/** The bytes of rows on a page with a single list. */
export const ROWS_BYTES = 14_000;

/** The position in a list. */
export interface ListPlace {
  /** The value of a parameter of the address. */
  readonly query: (name: string) => string | undefined;
  /** The address of the list without its place. */
  readonly path: string;
  /** The parameter with the first row of the list; each list of a page has its own. */
  readonly name: string;
  readonly most_bytes?: number;
}

interface RowPage {
  readonly rows: readonly Html[];
  /** Links to the other rows; empty when all are there. */
  readonly pages: Html | string;
}

/** Renders the rows of `items` that the address asks for. At least one, however long. */
export async function renderRowPage<Item>(
  { query, path, name, most_bytes = ROWS_BYTES }: ListPlace,
  items: readonly Item[],
  render: (item: Item, at: number) => Html | Promise<Html>,
): Promise<RowPage> {
  const asked = Number(query(name));
  const first = Number.isSafeInteger(asked) && asked > 0 && asked < items.length ? asked : 0;
  const rows: Html[] = [];
  let bytes = 0;
  for (let at = first; at < items.length; at += 1) {
    const row = await render(items[at] as Item, at);
    bytes += Buffer.byteLength(String(row));
    if (rows.length > 0 && bytes > most_bytes) break;
    rows.push(row);
  }
  const end = first + rows.length;
  if (rows.length === items.length) return { rows, pages: "" };
  const start = first === 0 ? html`<span></span>` : html`<a rel="prev" href="${path}">First page</a>`;
  const next =
    end === items.length
      ? html`<span></span>`
      : html`<a rel="next" href="${withQuery(path, { [name]: end })}">Next page</a>`;
  const place = `${formatNumber(first + 1)} to ${formatNumber(end)} of ${formatNumber(items.length)}`;
  return {
    rows,
    pages: html`<nav class="pages" aria-label="Pages">${start}<span class="small">${place}</span>${next}</nav>`,
  };
}
