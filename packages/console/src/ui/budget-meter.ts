/** How far a grant's budget is used (R83). */
import type { Grant, GrantBudget } from "@rungs/contract";
import { readUsage } from "@rungs/server";
import type { GrantUsage } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Html, html } from "./html.ts";
import { formatNumber, formatSize } from "./words.ts";

const LIMITS: readonly (readonly [keyof GrantBudget, keyof GrantUsage, string, (n: number) => string])[] = [
  ["records_per_day", "day_records", "Records today", formatNumber],
  ["records", "records", "Records in all", formatNumber],
  ["bytes_per_day", "day_bytes", "Bytes today", formatSize],
  ["bytes", "bytes", "Bytes in all", formatSize],
];

/** Renders a meter for each limit; nothing for a grant without a budget. Days begin at midnight UTC. */
export async function renderBudgetMeters(
  { context }: OwnerRequest,
  { grant_id, budget }: Grant,
): Promise<Html | string> {
  if (!budget) return "";
  const usage = await readUsage(context, grant_id);
  return html`<ul class="meters">${LIMITS.flatMap(([limit, used, label, format]) => {
    const max = budget[limit];
    if (max === undefined) return [];
    const value = Number(usage[used]);
    return [
      html`<li><span id="${grant_id}-${limit}">${label}</span> <meter aria-labelledby="${grant_id}-${limit}" min="0" max="${max}" high="${max * 0.8}" optimum="0" value="${Math.min(value, max)}"></meter>
<span class="small">${format(value)} of ${format(max)}</span></li>`,
    ];
  })}</ul>`;
}
