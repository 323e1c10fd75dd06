import { type GrantBudget, type GrantStream, renderCondition, type StreamMasks } from "@rungs/contract";
import { foldToLine } from "@rungs/evidence";
import type { GrantUsage, StoredGrant } from "@rungs/store";

/** Renders what a grant allows, one line per stream. */
export function renderGrant({ grant, revoked_at, usage }: StoredGrant & { usage?: GrantUsage }): string {
  const { grant_id, client, issued_at, expires_at, access_mode } = grant;
  const streams = grant.authorization_details.flatMap((detail) => detail.streams);
  return [
    `${grant_id} for ${foldToLine(client.client_id)}: ${describeState(revoked_at, expires_at)}, ${access_mode}, issued ${issued_at}`,
    ...streams.flatMap((stream) =>
      stream.instance_ids.map((id) => `  ${id}/${stream.name}: ${renderLimits(stream)}`),
    ),
    ...(grant.budget ? renderBudget(grant.budget, usage) : []),
  ].join("\n");
}

/** One line for each limit, with what is used of it. */
function renderBudget(budget: GrantBudget, usage: GrantUsage | undefined): string[] {
  const rows = [
    ["records in all", budget.records, usage?.records],
    ["records per day", budget.records_per_day, usage?.day_records],
    ["bytes in all", budget.bytes, usage?.bytes],
    ["bytes per day", budget.bytes_per_day, usage?.day_bytes],
  ] as const;
  return rows.flatMap(([name, limit, used = 0]) =>
    limit === undefined ? [] : [`  budget, ${name}: ${used} of ${limit} used`],
  );
}

/** Describes whether a grant or token is active. */
export function describeState(revoked_at: string | undefined, expires_at: string | undefined): string {
  if (revoked_at !== undefined) return `revoked ${revoked_at}`;
  if (expires_at === undefined) return "active";
  return `${Date.parse(expires_at) <= Date.now() ? "expired" : "active until"} ${expires_at}`;
}

function renderLimits({ fields, time_constraint, resources, masks, where = [] }: GrantStream): string {
  const { since, until } = time_constraint ?? {};
  return [
    fields.join(", "),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(resources === undefined ? [] : [resources.length === 1 ? "1 record" : `${resources.length} records`]),
    ...(masks === undefined ? [] : [`masks ${renderMasks(masks)}`]),
    ...where.map((condition) => `where ${renderCondition(condition)}`),
  ].join("; ");
}

function renderMasks({ fields, kinds = [], words = [], expressions = [] }: StreamMasks): string {
  const own = words.length + expressions.length;
  const values = [...kinds, ...(own === 0 ? [] : [`${own} of the owner's words`])];
  return `${values.join(", ")} in ${fields.join(", ")}`;
}
