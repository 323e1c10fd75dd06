/** A grant as the choice that made it: what a form shows when the owner changes a grant or starts from a preset. */
import { type Grant, parseTimeMs } from "@rungs/contract";
import { listGrantedStreams } from "../access/authority.ts";
import type { ChosenStream, ConsentDecision } from "../oauth/consent/consents-port.ts";
import { draftGrant } from "./grants.ts";
import type { OwnerContext } from "./owner-context.ts";
import { applyPreset, type GrantPreset } from "./presets.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Describes the choice that a grant came from. All streams of a grant that masks mask the same values. */
export function describeGrantChoice(grant: Grant, now_ms: number): ConsentDecision {
  const streams = listGrantedStreams(grant);
  const masks = streams.find(({ limits }) => limits.masks)?.limits.masks;
  const { fields: _, ...rules } = masks ?? { fields: [] };
  const expires_at_ms = parseTimeMs(grant.expires_at);
  const days = expires_at_ms === undefined ? undefined : Math.ceil((expires_at_ms - now_ms) / DAY_MS);
  return {
    streams: streams.map(({ connection_id, stream, limits }): ChosenStream => {
      const { fields, time_constraint, where, resources } = limits;
      const plain = masks ? fields.filter((name) => !limits.masks?.fields.includes(name)) : [];
      return {
        connection_id,
        stream,
        fields,
        plain_fields: plain.filter((name) => name !== time_constraint?.field),
        ...(time_constraint?.since === undefined ? {} : { since: time_constraint.since }),
        ...(time_constraint?.until === undefined ? {} : { until: time_constraint.until }),
        ...(where ? { where } : {}),
        ...(resources ? { resources } : {}),
      };
    }),
    ...(days === undefined ? {} : { expires_in_days: Math.max(1, days) }),
    ...(masks ? { masks: rules } : {}),
    ...(grant.budget ? { budget: grant.budget } : {}),
  };
}

/** The grant that a preset would make now, without creating it. */
export function draftPreset(owner: OwnerContext, preset: GrantPreset): Promise<Grant> {
  return draftGrant(owner, applyPreset(owner, preset, { client_id: "preset" }));
}
