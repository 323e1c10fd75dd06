/** Named presets: grants that the owner makes again and again, such as "project channel, 30 days". Clients never see them. */
import { ApiError, foldValue } from "@rungs/contract";
import { draftGrant, type GrantRequest } from "./grants.ts";
import type { OwnerContext } from "./owner-context.ts";

const KIND = "owner.GrantPreset";
const NAME_MAX_CHARS = 80;

/** Everything about a grant except who gets it. Times are relative, so that a preset does not age. */
export interface GrantPreset extends Pick<GrantRequest, "details" | "masks" | "budget"> {
  readonly name: string;
  /** How long a grant lasts; without it, until it is revoked. */
  readonly lasts_ms?: number | undefined;
  /** Only records from this long before the grant is made. */
  readonly recent_ms?: number | undefined;
}

/** Saves a preset, or replaces the one of the same name, ignoring case. Refuses one that no grant could follow from. */
export async function savePreset(owner: OwnerContext, preset: GrantPreset): Promise<GrantPreset> {
  const saved = { ...preset, name: requireName(preset.name) };
  await draftGrant(owner, applyPreset(owner, saved, { client_id: "preset" }));
  await owner.store.putState(owner.owner_id, { kind: KIND, id: foldValue(saved.name), value: saved });
  return saved;
}

/** Lists every preset, by name. */
export async function listPresets({ store, owner_id }: OwnerContext): Promise<GrantPreset[]> {
  // Only this file writes state of this kind.
  return (await store.listState(owner_id, KIND)).map(({ value }) => value as GrantPreset);
}

/** A preset by its name; `not_found` when there is none. */
export async function requirePreset({ store, owner_id }: OwnerContext, name: string): Promise<GrantPreset> {
  const found = await store.getState(owner_id, KIND, foldValue(name.trim()));
  return found ? (found.value as GrantPreset) : refuseUnknown();
}

/** Removes a preset; grants that were made from it stay. `not_found` when there is none. */
export async function removePreset({ store, owner_id }: OwnerContext, name: string): Promise<void> {
  if (!(await store.takeState(owner_id, KIND, foldValue(name.trim())))) refuseUnknown();
}

/** The grant that a preset would give a client now. */
export function applyPreset(
  { now }: Pick<OwnerContext, "now">,
  { details, masks, budget, lasts_ms, recent_ms }: GrantPreset,
  client: GrantRequest["client"],
): GrantRequest {
  const now_ms = now();
  const since = recent_ms === undefined ? undefined : new Date(now_ms - recent_ms).toISOString();
  return {
    client,
    details: since === undefined ? details : details.map((detail) => limitSince(detail, since)),
    expires_at_ms: lasts_ms === undefined ? undefined : now_ms + lasts_ms,
    masks,
    budget,
  };
}

type Detail = GrantRequest["details"][number];

function limitSince(detail: Detail, since: string): Detail {
  const { streams } = detail;
  if (!streams) return detail;
  return {
    ...detail,
    streams: streams.map((stream) => ({ ...stream, time_range: { ...stream.time_range, since } })),
  };
}

function requireName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= NAME_MAX_CHARS) return trimmed;
  throw new ApiError("invalid_request", {
    param: "name",
    message: `A preset's name has 1 to ${NAME_MAX_CHARS} characters.`,
  });
}

function refuseUnknown(): never {
  throw new ApiError("not_found", {
    message: "There is no such preset.",
    next: "List the presets with rungs preset list.",
  });
}
