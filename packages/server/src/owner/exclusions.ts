/** The owner's exclusions: what no client reads, whatever its grant allows (R81). */
import { randomBytes } from "node:crypto";
import { ApiError, applyExclusions, type Exclusion, exclusionSchema, ownerScope } from "@rungs/contract";
import { readSources } from "../access/sources.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** How many records of a stream an exclusion hides. */
export interface HiddenStream {
  readonly connection_id: string;
  readonly stream: string;
  readonly hidden_count: number;
  readonly record_count: number;
}

/** Adds an exclusion, effective with the next request of any client. */
export async function addExclusion(
  owner: OwnerContext,
  hides: Exclusion["hides"],
  note?: string | undefined,
): Promise<Exclusion> {
  const exclusion = draftExclusion(owner, hides, note);
  await requireEffect(owner, hides);
  await owner.store.putExclusion(owner.owner_id, exclusion);
  await recordEvent(owner, "exclusion_added");
  return exclusion;
}

function draftExclusion({ now }: OwnerContext, hides: Exclusion["hides"], note?: string): Exclusion {
  return exclusionSchema.parse({
    rule_id: `never_${randomBytes(9).toString("base64url")}`,
    created_at: new Date(now()).toISOString(),
    hides,
    ...(note === undefined ? {} : { note }),
  });
}

export function listExclusions({ store, owner_id }: OwnerContext): Promise<Exclusion[]> {
  return store.listExclusions(owner_id);
}

/** Removes an exclusion; `not_found` when there is none. */
export async function removeExclusion(owner: OwnerContext, rule_id: string): Promise<void> {
  if (!(await owner.store.deleteExclusion(owner.owner_id, rule_id)))
    throw new ApiError("not_found", {
      message: "There is no such rule.",
      next: "List the rules with rungs never list.",
    });
  await recordEvent(owner, "exclusion_removed");
}

/** Counts what an exclusion hides, stream by stream; only streams of which it hides something. */
export async function previewExclusion(
  owner: OwnerContext,
  hides: Exclusion["hides"],
): Promise<HiddenStream[]> {
  const { store, owner_id } = owner;
  const sources = await readSources(store, owner_id);
  const whole = ownerScope(owner_id, [...sources.values()]);
  const rest = applyExclusions(whole, [draftExclusion(owner, hides)], (connection_id, stream) =>
    sources.get(connection_id)?.shapes.get(stream),
  );
  const [all, left] = await Promise.all([store.describeStreams(whole), store.describeStreams(rest)]);
  return all
    .map(({ connection_id, stream, record_count }) => {
      const kept = left.find((each) => each.connection_id === connection_id && each.stream === stream);
      return { connection_id, stream, record_count, hidden_count: record_count - (kept?.record_count ?? 0) };
    })
    .filter(({ hidden_count }) => hidden_count > 0);
}

/** A rule on a field that nothing can be selected by would promise what it does not do. */
async function requireEffect({ store, owner_id }: OwnerContext, hides: Exclusion["hides"]): Promise<void> {
  if (hides.kind !== "value") return;
  const sources = await readSources(store, owner_id);
  const { field } = hides.condition;
  const isSelectable = [...sources.values()].some(({ shapes }) =>
    [...shapes.values()].some(({ fields }) =>
      fields.some(({ name, filterable }) => filterable && name === field),
    ),
  );
  if (!isSelectable)
    throw new ApiError("invalid_request", {
      param: "field",
      message: `No stream can be narrowed by ${field}.`,
    });
}
