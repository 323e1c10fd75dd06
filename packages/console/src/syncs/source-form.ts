/** The forms that add a source, one for each kind; a link leads to each, so that they need no script. */
import type { OwnerRequest } from "../request/console-request.ts";
import { renderCsrfField, renderHiddenFields } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderOptions } from "../ui/options.ts";
import { listMoreFields, type SourceField, type SourceKind, sourceKinds } from "./source-kinds.ts";

export const SYNC_PATH = "/console/sync";

/** The state to redisplay after a refusal. */
export interface Attempt {
  readonly notice: string;
  /** The parameter that was wrong, such as `hosts.0`. */
  readonly param?: string | undefined;
  readonly typed: ReadonlyMap<string, string>;
}

/** Who adds a source. */
export interface Adder {
  /** Only an administrator may make the server connect to a host. */
  readonly is_admin: boolean;
  /** Only whoever runs the server, its first owner, may name its folders and its own addresses. */
  readonly runs_server: boolean;
}

/** Renders the links to every kind, the form of one, and the commands for what has no form. */
export function renderSourceForm(
  request: OwnerRequest,
  source: SourceKind,
  { adder, attempt }: { readonly adder: Adder; readonly attempt?: Attempt | undefined },
): Html {
  const { kind, name, about } = source;
  if (!adder.is_admin)
    return html`<h2 id="add">Add a source</h2>
${when(attempt, ({ notice }) => html`<p class="notice" role="alert">${notice}</p>`)}
<p>Ask an administrator of this server, who adds sources for you with a command such as this:</p>
<pre class="copy" tabindex="0">npx rungs sync add imap imaps://imap.example.org --user YOU@example.org${request.context.command_options}</pre>`;
  const links = sourceKinds.map(
    (each) =>
      html`<a class="chip${each === source ? " on" : ""}" href="${withQuery(SYNC_PATH, { kind: each.kind })}#add"${each === source ? html` aria-current="true"` : ""}>${each.name}</a>`,
  );
  const isShown = kind !== "folder" || adder.runs_server;
  return html`<h2 id="add">Add a source</h2>
<nav class="facets" aria-label="What to add"><div class="facet">${links}</div></nav>
${when(attempt, ({ notice }) => html`<p class="notice" role="alert" id="wrong">${notice}</p>`)}
${
  isShown
    ? html`<form method="post" action="${SYNC_PATH}" class="card">${renderCsrfField(request)}${renderHiddenFields({ kind })}
<p>${about}</p>
${source.fields.map((field) => renderField(field, attempt))}
${renderMore(listMoreFields(source), attempt)}
<button class="main">Add the ${name.toLowerCase()}</button></form>`
    : html`<p>Only whoever runs this server may name a folder of its disk. You can <a href="/console/import">upload your files</a> instead.</p>`
}
${when(isShown && kind !== "folder", () => html`<p class="small">The password is stored sealed, with a key that is in no backup.</p>`)}
${renderCommands(source, request.context.command_options)}`;
}

function renderMore(fields: readonly SourceField[], attempt: Attempt | undefined): Html {
  const isOpen = fields.some(({ name }) => isWrong(name, attempt) || attempt?.typed.has(name));
  return html`<details${isOpen ? html` open` : ""}><summary>More choices</summary><div class="card">${fields.map((field) => renderField(field, attempt))}</div></details>`;
}

function renderField(field: SourceField, attempt: Attempt | undefined): Html {
  const { name, label, type, is_required = false, example, options = [] } = field;
  const value = attempt?.typed.get(name) ?? "";
  const wrong = isWrong(name, attempt) ? html` aria-invalid="true" aria-describedby="wrong" autofocus` : "";
  const required = is_required ? html` required` : "";
  const own = html`id="${name}" name="${name}"${required}${wrong}`;
  if (type === "check")
    return html`<label class="check"><input type="checkbox" name="${name}" value="yes"${value === "" ? "" : html` checked`}${wrong}> ${label}</label>`;
  const title = html`<label for="${name}">${label}</label>`;
  if (type === "choice")
    return html`${title}<select ${own}>${renderOptions(options, value === "" ? options[0]?.[0] : value)}</select>`;
  if (type === "lines")
    return html`${title}<textarea ${own} rows="2" cols="40" maxlength="20000" spellcheck="false">${value}</textarea>`;
  return html`${title}<input ${own} ${INPUTS[type]} autocomplete="off" autocapitalize="none" spellcheck="false"${when(example, (text) => html` placeholder="${text}"`)} value="${value}">`;
}

const INPUTS = {
  text: html`maxlength="4096"`,
  address: html`inputmode="url" maxlength="2000"`,
  number: html`inputmode="numeric" pattern="[0-9]*" maxlength="5"`,
  password: html`type="password" maxlength="1024"`,
} as const;

function isWrong(name: string, attempt: Attempt | undefined): boolean {
  return attempt?.param?.split(".")[0] === name;
}

/** Kinds that only the command line can add: they need more than a browser, or start programs. */
function renderCommands({ kind }: SourceKind, command_options: string): Html {
  const add = (source: string) =>
    html`<pre class="copy" tabindex="0">npx rungs sync add ${source}${command_options}</pre>`;
  const google = "imaps://imap.gmail.com --user YOU@gmail.com --oauth google --client-id ID";
  const microsoft =
    "imaps://outlook.office365.com --user YOU@example.org --oauth microsoft --client-id ID --device";
  return html`<h2>On the command line of the server</h2>
${when(
  kind === "imap",
  () => html`<p>Mailboxes that take no password, with an OAuth client that you registered with the provider. Google:</p>
${add(`imap ${google}`)}
<p>Microsoft:</p>${add(`imap ${microsoft}`)}`,
)}
<p>Connectors are programs that run on the server, so that only a command adds them:</p>
${add("connector MANIFEST.json --program PROGRAM")}`;
}
