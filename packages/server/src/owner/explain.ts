/**
 * Why a grant shows a record and its fields, or does not: the rules, one by one (R84). The store checks each
 * separately.
 */
import {
  ApiError,
  type Exclusion,
  type Grant,
  ownerScope,
  renderCondition,
  resolveScope,
  type StreamScope,
} from "@rungs/contract";
import type { StoredRef } from "@rungs/store";
import { hideExcluded, listGrantedStreams, readSources, type Sources } from "../access/authority.ts";
import { requireGrant } from "./grants.ts";
import type { OwnerContext } from "./owner-context.ts";
import { isGrantActive } from "./status.ts";

/** One rule, and whether the record meets it. */
export interface ExplainedRule {
  readonly rule: string;
  readonly allows: boolean;
}

/** Whether a grant shows a field, and whether it masks values in it. */
export interface ExplainedField {
  readonly field: string;
  readonly is_visible: boolean;
  readonly is_masked: boolean;
}

/** Whether a grant shows a record, by which rules, and which of its fields. */
export interface Explanation {
  readonly is_visible: boolean;
  readonly rules: readonly ExplainedRule[];
  readonly fields: readonly ExplainedField[];
}

/** As masked copies name records. */
const MASKED_KEY = /^\[key-[b-z]{20}\]$/;

/** Explains what a grant shows of a record. */
export async function explainRecord(
  owner: OwnerContext,
  grant_id: string,
  ref: StoredRef,
): Promise<Explanation> {
  const { store, owner_id, now } = owner;
  const stored = await requireGrant(owner, grant_id);
  const sources = await readSources(store, owner_id);
  const whole = ownerScope(owner_id, [...sources.values()]);
  const entry = whole.streams.find((each) => isOf(each, ref));
  const sees = async (limits: Partial<StreamScope>): Promise<boolean> =>
    entry !== undefined &&
    (await store.getRecord({ owner_id, streams: [{ ...entry, ...limits }] }, ref, [])) !== undefined;
  const exists = await sees({});
  if (!exists && MASKED_KEY.test(ref.record_id))
    throw new ApiError("invalid_request", {
      param: "record",
      message: `${ref.record_id} is what a grant that masks calls a record. The record cannot be found by it.`,
      next: "Give the record's own id: find it with rungs search or rungs query as the owner, or on the console.",
    });
  const rules: ExplainedRule[] = [
    { rule: "the grant is active", allows: isGrantActive(stored, now()) },
    { rule: "the record exists", allows: exists },
  ];
  const limits = findLimits(stored.grant, ref, sources);
  rules.push({ rule: `the grant covers ${ref.connection_id}/${ref.stream}`, allows: limits !== undefined });
  for (const [rule, limit] of limits ? listLimits(limits) : [])
    rules.push({ rule, allows: await sees(limit) });
  for (const exclusion of await store.listExclusions(owner_id)) {
    const hidden = findHidden(owner_id, exclusion, ref, sources);
    if (hidden && exclusion.is_unfinished)
      rules.push({
        rule: `not hidden by you: ${renderExclusion(exclusion)}, still being applied`,
        allows: false,
      });
    else if (hidden)
      rules.push({ rule: `not hidden by you: ${renderExclusion(exclusion)}`, allows: await sees(hidden) });
  }
  const is_visible = rules.every(({ allows }) => allows);
  const declared = entry?.fields ?? [];
  return {
    is_visible,
    rules,
    fields: declared.map((field) => ({
      field,
      is_visible: is_visible && limits?.fields.includes(field) === true,
      is_masked: limits?.masks?.fields.includes(field) === true,
    })),
  };
}

function isOf(
  each: { connection_id: string; stream: string },
  { connection_id, stream }: StoredRef,
): boolean {
  return each.connection_id === connection_id && each.stream === stream;
}

function findLimits(grant: Grant, ref: StoredRef, sources: Sources): StreamScope | undefined {
  if (!listGrantedStreams(grant).some((each) => isOf(each, ref))) return undefined;
  const { expires_at: _, ...endless } = grant;
  const scope = resolveScope(grant.subject.id, [endless], 0);
  return hideExcluded(scope, [], sources).streams.find((each) => isOf(each, ref));
}

/** The limits of a grant on the records of a stream, each in words. */
function listLimits({
  time,
  record_ids,
  where = [],
  within = [],
}: StreamScope): [string, Partial<StreamScope>][] {
  const iso = (ms: number) => new Date(ms).toISOString();
  return [
    ...(time?.since_ms === undefined
      ? []
      : [
          [`since ${iso(time.since_ms)}`, { time: { since_ms: time.since_ms } }] as [
            string,
            Partial<StreamScope>,
          ],
        ]),
    ...(time?.until_ms === undefined
      ? []
      : [
          [`until ${iso(time.until_ms)}`, { time: { until_ms: time.until_ms } }] as [
            string,
            Partial<StreamScope>,
          ],
        ]),
    ...(record_ids
      ? [[`one of ${record_ids.length} records`, { record_ids }] as [string, Partial<StreamScope>]]
      : []),
    ...where.map((each): [string, Partial<StreamScope>] => [
      `where ${renderCondition(each)}`,
      { where: [each] },
    ]),
    ...within.map((each): [string, Partial<StreamScope>] => [
      `belongs to a record of ${each.stream} that the grant covers`,
      { within: [each] },
    ]),
  ];
}

/** What an exclusion hides of a record's stream, or of the records that it belongs to. */
function findHidden(
  owner_id: string,
  exclusion: Exclusion,
  { connection_id, stream }: StoredRef,
  sources: Sources,
): Pick<StreamScope, "never" | "within"> | undefined {
  const scope = { owner_id, streams: [{ connection_id, stream, fields: [] }] };
  const { never, within } = hideExcluded(scope, [exclusion], sources).streams[0] ?? {};
  return never || within ? { ...(never ? { never } : {}), ...(within ? { within } : {}) } : undefined;
}

/** What an exclusion hides, in words. */
export function renderExclusion({ hides }: Pick<Exclusion, "hides">): string {
  switch (hides.kind) {
    case "record":
      return `record ${hides.connection_id}/${hides.stream}:${hides.record_id}`;
    case "person":
      return `person ${hides.person}`;
    case "value":
      return `${renderCondition(hides.condition)}${renderPlace(hides)}`;
    case "pattern":
      return `${hides.field ?? "text"} that matches /${hides.pattern}/${renderPlace(hides)}`;
  }
}

function renderPlace({
  connection_id,
  stream,
}: {
  connection_id?: string | undefined;
  stream?: string | undefined;
}): string {
  const place = [connection_id, stream].filter((each) => each !== undefined).join("/");
  return place === "" ? "" : ` in ${place}`;
}
