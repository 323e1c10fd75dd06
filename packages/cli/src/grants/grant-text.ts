import type { GrantStream } from "@rungs/contract";
import { foldToLine } from "@rungs/evidence";
import type { StoredGrant } from "@rungs/store";

/** Renders what a grant allows, one line per stream. */
export function renderGrant({ grant, revoked_at }: StoredGrant): string {
  const { grant_id, client, issued_at, expires_at, access_mode } = grant;
  const streams = grant.authorization_details.flatMap((detail) => detail.streams);
  return [
    `${grant_id} for ${foldToLine(client.client_id)}: ${describeState(revoked_at, expires_at)}, ${access_mode}, issued ${issued_at}`,
    ...streams.flatMap((stream) =>
      stream.instance_ids.map((id) => `  ${id}/${stream.name}: ${renderLimits(stream)}`),
    ),
  ].join("\n");
}

/** Describes whether a grant or token is active. */
export function describeState(revoked_at: string | undefined, expires_at: string | undefined): string {
  if (revoked_at !== undefined) return `revoked ${revoked_at}`;
  if (expires_at === undefined) return "active";
  return `${Date.parse(expires_at) <= Date.now() ? "expired" : "active until"} ${expires_at}`;
}

function renderLimits({ fields, time_constraint, resources }: GrantStream): string {
  const { since, until } = time_constraint ?? {};
  return [
    fields.join(", "),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(resources === undefined ? [] : [`${resources.length} records`]),
  ].join("; ");
}
