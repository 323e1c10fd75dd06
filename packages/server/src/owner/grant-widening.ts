/** What a changed grant allows that it did not allow before. Narrowing takes effect at once; widening needs the owner's confirmation. */
import {
  type Condition,
  type Grant,
  type GrantBudget,
  type GrantStream,
  parseTimeMs,
  renderCondition,
} from "@rungs/contract";
import { listGrantedStreams } from "../access/authority.ts";

/** Lists in words what `after` allows beyond `before`; empty only if it provably allows no more. */
export function listWidenings(before: Grant, after: Grant): string[] {
  const old = listGrantedStreams(before);
  const streams = listGrantedStreams(after).flatMap(({ connection_id, stream, limits }) => {
    const name = `${connection_id}/${stream}`;
    const was = old.find((each) => each.connection_id === connection_id && each.stream === stream);
    return was ? listStreamWidenings(was.limits, limits).map((words) => `${name}: ${words}`) : [name];
  });
  const isLonger = readEnd(after) > readEnd(before);
  return [
    ...streams,
    ...listBudgetWidenings(before.budget, after.budget),
    ...(isLonger ? ["a longer time"] : []),
  ];
}

function readEnd({ expires_at }: Grant): number {
  return parseTimeMs(expires_at) ?? Number.POSITIVE_INFINITY;
}

function listStreamWidenings(before: GrantStream, after: GrantStream): string[] {
  const fields = after.fields.filter((name) => !before.fields.includes(name));
  return [
    ...(fields.length === 0 ? [] : [`the ${fields.length === 1 ? "field" : "fields"} ${fields.join(", ")}`]),
    ...(isWithinTimes(before, after) ? [] : ["other times"]),
    ...(isWithinRecords(before, after) ? [] : ["other records"]),
    ...(before.where ?? [])
      .filter((condition) => !(after.where ?? []).some((each) => implies(each, condition)))
      .map((condition) => `records that do not meet ${renderCondition(condition)}`),
    ...(isMaskedAtLeast(before, after) ? [] : ["values that were masked"]),
  ];
}

function isWithinTimes(
  { time_constraint: before }: GrantStream,
  { time_constraint: after }: GrantStream,
): boolean {
  const since = (time: typeof before) => parseTimeMs(time?.since) ?? Number.NEGATIVE_INFINITY;
  const until = (time: typeof before) => parseTimeMs(time?.until) ?? Number.POSITIVE_INFINITY;
  return (
    since(after) >= since(before) &&
    until(after) <= until(before) &&
    (before === undefined || before.field === after?.field)
  );
}

function isWithinRecords({ resources: before }: GrantStream, { resources: after }: GrantStream): boolean {
  return before === undefined || after?.every((id) => before.includes(id)) === true;
}

/**
 * Whether every record that meets `narrow` provably meets `wide`; compares equal conditions and lists of values only.
 */
function implies(narrow: Condition, wide: Condition): boolean {
  if (JSON.stringify(narrow) === JSON.stringify(wide)) return true;
  if (narrow.field !== wide.field) return false;
  const allowed = listValues(wide);
  const chosen = listValues(narrow);
  if (wide.op === "not_in" && narrow.op === "not_in")
    return wide.values.every((value) => narrow.values.includes(value));
  if (wide.op === "present") return chosen !== undefined;
  return allowed !== undefined && chosen?.every((value) => allowed.includes(value)) === true;
}

function listValues(condition: Condition) {
  if (condition.op === "equals") return [condition.value];
  return condition.op === "in" ? condition.values : undefined;
}

function isMaskedAtLeast({ masks: before }: GrantStream, { masks: after, fields }: GrantStream): boolean {
  if (!before) return true;
  const has = (old: readonly string[] = [], all: readonly string[] = []) =>
    old.every((each) => all.includes(each));
  return (
    has(
      before.fields.filter((name) => fields.includes(name)),
      after?.fields,
    ) &&
    (before.fields.every((name) => !fields.includes(name)) ||
      (has(before.kinds, after?.kinds) &&
        has(before.words, after?.words) &&
        has(before.expressions, after?.expressions)))
  );
}

function listBudgetWidenings(before: GrantBudget = {}, after: GrantBudget = {}): string[] {
  const names = Object.keys(before) as (keyof GrantBudget)[];
  return names
    .filter((name) => (after[name] ?? Number.POSITIVE_INFINITY) > (before[name] ?? Number.POSITIVE_INFINITY))
    .map((name) => `more ${name.replaceAll("_", " ")}`);
}
