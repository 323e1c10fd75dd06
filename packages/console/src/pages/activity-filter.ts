/** What the activity page shows: choices, not text to type. */
import { parseTimeMs } from "@rungs/contract";
import { CONSOLE_CLIENT, listGrants, OWNER_CLIENT } from "@rungs/server";
import type { AuditDay, AuditFilter, StoredGrant } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import type { ClientNamer } from "../ui/client-names.ts";
import { renderFilters } from "../ui/filters.ts";
import { type Html, html } from "../ui/html.ts";
import { type Option, renderOptions } from "../ui/options.ts";

const ASKED = ["who", "client", "grant", "since"] as const;

/** The requested filter. */
export type AskedActivity = Readonly<Record<(typeof ASKED)[number], string | undefined>>;

/** Reads the filter from the address. */
export function readAsked({ query }: OwnerRequest): AskedActivity {
  return Object.fromEntries(ASKED.map((name) => [name, query(name)])) as AskedActivity;
}

/** The filter of the audit log: only agents, unless the owner's own actions or one client are asked for. */
export function readFilter(request: OwnerRequest): Omit<AuditFilter, "limit"> {
  const { who, client, grant, since } = readAsked(request);
  const since_ms = parseTimeMs(`${since ?? ""}T00:00:00Z`);
  const isAgents = who === undefined && client === undefined && grant === undefined;
  return {
    client_id: client,
    grant_id: grant,
    since: since_ms === undefined ? undefined : new Date(since_ms).toISOString(),
    except_client_ids: isAgents ? [OWNER_CLIENT, CONSOLE_CLIENT] : undefined,
  };
}

/** Renders the choices: whose activity, which client, which grant, since when. */
export async function renderFilter(
  { context }: OwnerRequest,
  { who, client, grant, since }: AskedActivity,
  days: readonly AuditDay[],
  nameClient: ClientNamer,
): Promise<Html> {
  const grants = await listGrants(context);
  const ids = new Set([
    ...grants.map((each) => each.grant.client.client_id),
    ...days.map(({ client_id }) => client_id),
    ...(client === undefined ? [] : [client]),
    CONSOLE_CLIENT,
    OWNER_CLIENT,
  ]);
  const clients = [...ids].map((id): Option => [id, nameClient(id)]);
  return html`<form action="/console/activity" class="find">${renderFilters(
    html`<label>Show <select name="who">${renderOptions(
      [
        ["", "Agents only"],
        ["all", "Agents and you"],
      ],
      who,
    )}</select></label>
<label>Client <select name="client">${renderOptions([["", "Every client"], ...clients], client)}</select></label>
<label>Grant <select name="grant">${renderOptions([["", "Every grant"], ...grants.map(nameGrant), ...listUnknown(grant, grants)], grant)}</select></label>
<label>From <input name="since" type="date" value="${since ?? ""}"></label>
<button>Show</button>`,
    who ?? client ?? grant ?? since,
  )}${(who ?? client ?? grant ?? since) ? html` <a href="/console/activity">Agents only</a>` : ""}</form>`;
}

function nameGrant({ grant, revoked_at }: StoredGrant): Option {
  const { client, issued_at, grant_id } = grant;
  const ended = revoked_at === undefined ? "" : ", revoked";
  return [
    grant_id,
    `${client.name ?? client.client_id}, ${issued_at.slice(0, 10)}${ended} (${grant_id.slice(-5)})`,
  ];
}

/** An unknown grant in the address stays selected: otherwise the page would show more than it says. */
function listUnknown(grant: string | undefined, grants: readonly StoredGrant[]): Option[] {
  const isKnown = grant === undefined || grants.some((each) => each.grant.grant_id === grant);
  return isKnown ? [] : [[grant, grant]];
}
