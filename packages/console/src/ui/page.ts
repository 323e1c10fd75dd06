/** The document around every page: navigation, title and styles. */
import { ApiError, describeRefusal, type ErrorBody } from "@rungs/contract";
import { type FormSession, renderPostButton } from "./form.ts";
import { type Html, html, raw, when } from "./html.ts";
import { chooseScript } from "./script/index.ts";
import { STYLE_PATH } from "./style/index.ts";

/** The content of a page, without the frame that all pages share. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** A page without the navigation, for one decision. */
  readonly is_bare?: boolean | undefined;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The slow part of the body, at `REST`: the page is sent without it, and the part follows when ready. */
  readonly rest?: Promise<Html> | undefined;
  /** Reloads the page, or opens another one, after some seconds: this shows progress without a script. With one, only the element `part` is renewed. */
  readonly refresh?:
    | { readonly seconds: number; readonly to?: string | undefined; readonly part?: string | undefined }
    | undefined;
}

/** The marker for `rest` in a body. Record text is escaped, so none contains it. */
export const REST = raw("<!--rest-->");

const LINKS = [
  ["/console", "Data"],
  ["/console/search", "Search"],
  ["/console/grants", "Grants"],
  ["/console/activity", "Activity"],
  ["/console/connect", "Connect an agent"],
  ["/console/import", "Import"],
  ["/console/sync", "Sync"],
  ["/console/settings", "Settings"],
] as const;

/** Frames a page of the owner's, with the navigation; `path` is the page's own. */
export function framePage(content: PageContent, path: string, session: FormSession): Html {
  if (content.is_bare) {
    return renderDocument(
      content,
      html`<header class="side"><a class="brand" href="/console">Rungs</a></header>`,
      "bare",
    );
  }
  const here = findSection(path);
  const nav = html`<nav aria-label="Console"><ul>
    ${LINKS.map(([to, name]) => html`<li><a href="${to}"${to === here ? html` aria-current="page"` : ""}>${name}</a></li>`)}
  </ul></nav>
  ${renderPostButton(session, "/console/sign-out", "Sign out", { look: "quiet" })}`;
  return renderDocument(
    content,
    html`<header class="side"><a class="brand" href="/console">Rungs</a>${nav}</header>`,
  );
}

/** Records and streams belong to the data section; a page outside every section, such as a consent, marks none. */
function findSection(path: string): string | undefined {
  if (/^\/console\/(?:records|streams)\//.test(path)) return "/console";
  if (/^\/console\/(?:hidden|explain)$/.test(path)) return "/console/grants";
  return LINKS.map(([to]) => to).find(
    (to) => path === to || (to !== "/console" && path.startsWith(`${to}/`)),
  );
}

/** Frames a page that requires no session. */
export function framePublicPage(content: PageContent): Html {
  return renderDocument(
    content,
    html`<header class="side"><span class="brand">Rungs</span></header>`,
    "public",
  );
}

function renderDocument({ title, body, refresh }: PageContent, header: Html, look = "owner"): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh ? renderRefresh(refresh) : ""}
<title>${title} · Rungs</title>
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body class="${look}">
<a class="skip" href="#main">Skip to the content</a>
${header}
<main id="main" tabindex="-1"${when(refresh?.part, (id) => html` data-renew="${id}"`)}>
<h1 dir="auto">${title}</h1>
${body}
</main>
<script>${raw(chooseScript(String(body)))}</script>
</body>
</html>`;
}

/**
 * A browser starts the timer when it parses the element, and a script cannot cancel it: for a part, only browsers
 * without scripts get it.
 */
function renderRefresh({ seconds, to, part }: NonNullable<PageContent["refresh"]>): Html {
  const content = `${seconds}${to === undefined ? "" : `; url=${to}`}`;
  const meta = html`<meta http-equiv="refresh" content="${content}">`;
  return part === undefined ? meta : html`<noscript>${meta}</noscript>`;
}

const MISSING = describeRefusal(new ApiError("not_found")).body.error.message;

/** Describes a refusal as a page: what was wrong, what to do next, and what to quote when asking for help. */
export function describeRefusalPage(status: number, { error }: ErrorBody): PageContent {
  const { code, request_id } = error;
  // The operations word their errors about missing records for agents.
  const isMissing = (code === "not_found" && error.message === MISSING) || code === "invalid_record_id";
  const { message, next } = isMissing
    ? {
        message: "There is no such record.",
        next: "It may have been deleted. Search for it.",
      }
    : error;
  return {
    title:
      status >= 500
        ? "Something went wrong"
        : isMissing || status === 404
          ? "Not found"
          : "That did not work",
    status,
    body: html`<p class="lead">${message}</p><p>${next}</p>
<p class="small">${code}${request_id === undefined ? "" : `, request ${request_id}`}</p>
<p><a href="/console">Your data</a> · <a href="/console/search">Search</a></p>`,
  };
}
