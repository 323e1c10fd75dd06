/** The owner's exclusions: what no client reads, whatever its grant allows (R81). */
import { randomBytes } from "node:crypto";
import {
  ApiError,
  type Exclusion,
  exclusionSchema,
  firstProblem,
  ownerScope,
  plainMessages,
  type ReadScope,
  type StreamScope,
} from "@rungs/contract";
import type { StoredExclusion } from "@rungs/store";
import { hideExcluded, readSources } from "../access/authority.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";
import { requireEffect } from "./rule-effect.ts";

/** How many records of a stream an exclusion hides. */
export interface HiddenStream {
  readonly connection_id: string;
  readonly stream: string;
  readonly hidden_count: number;
  readonly record_count: number;
}

/** Adds an exclusion, effective with the next request of any client; reads under one by pattern wait for `finishExclusions`. */
export async function addExclusion(
  owner: OwnerContext,
  hides: Exclusion["hides"],
  note?: string | undefined,
): Promise<Exclusion> {
  const exclusion = draftExclusion(owner, hides, note);
  await requireEffect(owner, hides);
  if (hides.kind === "pattern") await requireRoom(owner);
  await owner.store.putExclusion(owner.owner_id, exclusion);
  await recordEvent(owner, "exclusion_added");
  return exclusion;
}

function draftExclusion({ now }: OwnerContext, hides: Exclusion["hides"], note?: string): Exclusion {
  const draft = {
    rule_id: `never_${randomBytes(9).toString("base64url")}`,
    created_at: new Date(now()).toISOString(),
    hides,
    ...(note === undefined ? {} : { note }),
  };
  const parsed = exclusionSchema.safeParse(draft, plainMessages);
  if (parsed.success) return parsed.data;
  const { path, message } = firstProblem(parsed.error);
  const param = String(path.at(-1) ?? "rule");
  throw new ApiError("invalid_request", { param, message: `${param} ${message}.` });
}

export function listExclusions({ store, owner_id }: OwnerContext): Promise<StoredExclusion[]> {
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

/** Compares the owner's records with a new rule by pattern until none is left; `watch` gets the number of records so far. */
export async function finishExclusions(
  { store, owner_id }: Pick<OwnerContext, "store" | "owner_id">,
  watch: (record_count: number) => void = () => undefined,
): Promise<void> {
  for (let compared = 0; ; ) {
    const step = await store.tagMatching(owner_id);
    if (step.state === "complete") return;
    compared += step.record_count;
    watch(compared);
  }
}

/** Counts what a rule hides in each stream that it affects. A rule by pattern must be finished. */
export async function countHidden(owner: OwnerContext, exclusion: Exclusion): Promise<HiddenStream[]> {
  const sources = await readSources(owner.store, owner.owner_id);
  const whole = ownerScope(owner.owner_id, [...sources.values()]);
  return compareScopes(owner, whole, hideExcluded(whole, [exclusion], sources));
}

/** What a rule would hide; incomplete for a rule by pattern where comparing all records would take too long. */
export interface ExclusionPreview {
  readonly hidden: readonly HiddenStream[];
  /** How many records were compared; set only if not all were. */
  readonly compared_count?: number;
}

/** How far a preview of a pattern looks. */
export interface PreviewLimits {
  /** Roughly the most records to compare, newest first; all by default. */
  readonly record_count?: number;
  /** Called with the number of records so far. */
  readonly watch?: (record_count: number) => void;
}

/** Counts what a rule would hide, before it is added. */
export async function previewExclusion(
  owner: OwnerContext,
  hides: Exclusion["hides"],
  limits: PreviewLimits = {},
): Promise<ExclusionPreview> {
  const exclusion = draftExclusion(owner, hides);
  await requireEffect(owner, hides);
  if (hides.kind !== "pattern") return { hidden: await countHidden(owner, exclusion) };
  const { matching, compared_count, is_whole } = await findMatching(owner, hides, limits);
  const sources = await readSources(owner.store, owner.owner_id);
  const whole = ownerScope(owner.owner_id, [...sources.values()]);
  const rest = hideExcluded(whole, [exclusion], sources);
  const hidden = await compareScopes(owner, whole, {
    ...rest,
    streams: rest.streams.map((entry) => nameMatching(entry.connection_id, entry, matching)),
  });
  return is_whole ? { hidden } : { hidden, compared_count };
}

/** A preview names what it found: more records than this are too many to name. */
const MAX_MATCHING = 50_000;

async function findMatching(
  { store, owner_id }: OwnerContext,
  hides: Exclusion["hides"],
  { record_count = Number.POSITIVE_INFINITY, watch = () => undefined }: PreviewLimits,
) {
  const matching = new Map<string, string[]>();
  let [compared_count, matching_count] = [0, 0];
  let before: number | undefined;
  do {
    const page = await store.findMatching(owner_id, hides, before);
    for (const { connection_id, stream, record_id } of page.matching) {
      const place = `${connection_id}/${stream}`;
      const found = matching.get(place);
      if (found) found.push(record_id);
      else matching.set(place, [record_id]);
    }
    compared_count += page.record_count;
    matching_count += page.matching.length;
    watch(compared_count);
    before = page.before;
  } while (before !== undefined && compared_count < record_count && matching_count < MAX_MATCHING);
  return { matching, compared_count, is_whole: before === undefined };
}

/** Names the records that a rule by pattern would hide, which have no tags yet. */
function nameMatching<Limits extends Pick<StreamScope, "stream" | "never" | "within">>(
  connection_id: string,
  limits: Limits,
  matching: ReadonlyMap<string, readonly string[]>,
): Limits {
  const { stream, never, within } = limits;
  const record_ids = matching.get(`${connection_id}/${stream}`) ?? [];
  return {
    ...limits,
    ...(never ? { never: { conditions: [], record_ids } } : {}),
    ...(within ? { within: within.map((parent) => nameMatching(connection_id, parent, matching)) } : {}),
  };
}

async function compareScopes(
  { store }: OwnerContext,
  whole: ReadScope,
  rest: ReadScope,
): Promise<HiddenStream[]> {
  const [all, left] = await Promise.all([store.describeStreams(whole), store.describeStreams(rest)]);
  return all
    .map(({ connection_id, stream, record_count }) => {
      const kept = left.find((each) => each.connection_id === connection_id && each.stream === stream);
      return { connection_id, stream, record_count, hidden_count: record_count - (kept?.record_count ?? 0) };
    })
    .filter(({ hidden_count }) => hidden_count > 0);
}

/** Each write is compared with each rule by pattern, on a server that others share. */
const PATTERNS_MAX = 50;

async function requireRoom({ store, owner_id }: OwnerContext): Promise<void> {
  const rules = await store.listExclusions(owner_id);
  if (rules.filter(({ hides }) => hides.kind === "pattern").length < PATTERNS_MAX) return;
  throw new ApiError("invalid_request", {
    param: "pattern",
    message: `There are ${PATTERNS_MAX} rules by pattern already.`,
    next: "Remove one with rungs never remove, or join several with |.",
  });
}
