import type { PageContent } from "../visit/answer.ts";
import type { Visit } from "../visit/visit.ts";
import { postButton } from "./form.ts";
import { type Html, html } from "./html.ts";
import { STYLE_PATH } from "./style/index.ts";

const LINKS = [
  ["/console", "Data"],
  ["/console/search", "Search"],
  ["/console/grants", "Grants"],
  ["/console/activity", "Activity"],
  ["/console/connect", "Connect an agent"],
  ["/console/import", "Import"],
  ["/console/settings", "Settings"],
] as const;

/** Puts the frame around a page of the owner's: the way to all the others. */
export function framePage(content: PageContent, visit: Visit): Html {
  const here = findPlace(new URL(visit.request.url).pathname);
  const nav = html`<nav aria-label="Console"><ul>
    ${LINKS.map(([to, name]) => html`<li><a href="${to}"${to === here ? html` aria-current="page"` : ""}>${name}</a></li>`)}
  </ul></nav>
  ${postButton(visit, "/console/sign-out", "Sign out", { look: "quiet" })}`;
  return document(
    content,
    html`<header class="side"><a class="brand" href="/console">Rungs</a>${nav}</header>`,
  );
}

/** Records and streams are part of the data; what belongs nowhere, as a consent, is marked nowhere. */
function findPlace(path: string): string | undefined {
  if (/^\/console\/(?:records|streams)\//.test(path)) return "/console";
  return LINKS.map(([to]) => to).find(
    (to) => path === to || (to !== "/console" && path.startsWith(`${to}/`)),
  );
}

/** Puts the frame around a page for somebody who is not signed in. */
export function frameGuestPage(content: PageContent): Html {
  return document(content, html`<header class="side"><span class="brand">Rungs</span></header>`, "guest");
}

function document({ title, body, refresh }: PageContent, header: Html, look = "owner"): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh ? html`<meta http-equiv="refresh" content="${refresh.seconds}${refresh.to === undefined ? "" : `; url=${refresh.to}`}">` : ""}
<title>${title} · Rungs</title>
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body class="${look}">
<a class="skip" href="#main">Skip to the content</a>
${header}
<main id="main" tabindex="-1">
<h1 dir="auto">${title}</h1>
${body}
</main>
</body>
</html>`;
}
