import { renderCondition } from "@rungs/contract";
import type { GrantPreset } from "@rungs/server";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What a preset allows, in a line. */
export function renderPreset({ details, masks, budget, lasts_ms, recent_ms }: GrantPreset): string {
  const own = (masks?.words?.length ?? 0) + (masks?.expressions?.length ?? 0);
  const masked = [...(masks?.kinds ?? []), ...(own === 0 ? [] : [`${own} own words`])];
  return [
    details.flatMap((detail) => (detail.streams ?? []).map(renderStream)).join(", "),
    ...(recent_ms === undefined ? [] : [`records of the last ${renderDuration(recent_ms)}`]),
    ...(masked.length === 0 ? [] : [`masks ${masked.join(", ")}`]),
    ...Object.entries(budget ?? {}).map(([limit, most]) => `at most ${most} ${limit.replaceAll("_", " ")}`),
    lasts_ms === undefined ? "until revoked" : `lasts ${renderDuration(lasts_ms)}`,
  ].join("; ");
}

type PresetStream = NonNullable<GrantPreset["details"][number]["streams"]>[number];

function renderStream({ name, instance_ids = [], fields, where = [], resources }: PresetStream): string {
  const chosen = fields ? `:${fields.join(",")}` : "";
  const limits = [
    ...where.map((condition) => ` where ${renderCondition(condition)}`),
    ...(resources ? [` (${resources.length} records)`] : []),
  ];
  return `${instance_ids.map((id) => `${id}/${name}${chosen}`).join(", ")}${limits.join("")}`;
}

function renderDuration(ms: number): string {
  if (ms % DAY_MS === 0) return `${ms / DAY_MS} days`;
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} hours` : `${Math.round(ms / 60_000)} minutes`;
}
