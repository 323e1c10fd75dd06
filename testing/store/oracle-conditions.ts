/** The oracle for conditions: compares every value of a record, one by one. */
import {
  type Condition,
  type FieldShape,
  foldValue,
  parseTimeMs,
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import { matchesRule } from "./pattern-rules.ts";

/** Whether a version of a record meets the conditions of a scope's stream, and none of the owner's exclusions. */
export function meetsScope(
  shape: StreamShape,
  { where = [], never }: StreamScope,
  record: { readonly record_id: string; readonly data: Readonly<Record<string, unknown>> },
): boolean {
  const meets = (condition: Condition) => meetsCondition(shape, condition, record.data);
  if (never?.record_ids.includes(record.record_id)) return false;
  if (never?.patterns?.some((rule_id) => matchesRule(rule_id, record.data))) return false;
  return where.every((each) => meets(each)) && !(never?.conditions ?? []).some((each) => meets(each));
}

function meetsCondition(
  shape: StreamShape,
  condition: Condition,
  data: Readonly<Record<string, unknown>>,
): boolean {
  const field = shape.fields.find(({ name }) => name === condition.field);
  if (!field?.filterable) return false;
  const values = listValues(data[condition.field]);
  switch (condition.op) {
    case "equals":
      return values.some((value) => isSame(field, value, condition.value));
    case "in":
      return values.some((value) => condition.values.some((other) => isSame(field, value, other)));
    case "not_in":
      return !values.some((value) => condition.values.some((other) => isSame(field, value, other)));
    case "prefix":
      return values.some(
        (value) =>
          typeof value === "string" &&
          timeOf(field, value) === undefined &&
          listTexts(value).some((text) => foldValue(text).startsWith(foldValue(condition.value))),
      );
    case "range":
      return values.some((value) => isInside(field, value, condition));
    case "present":
      return values.length > 0;
    case "absent":
      return values.length === 0;
  }
}

function listValues(value: unknown): (string | number | boolean)[] {
  const all = [value].flat().flatMap((one) => {
    if (one === null || typeof one !== "object") return [one];
    return Array.isArray(one) ? [] : Object.values(one);
  });
  return all.filter((one) => ["string", "number", "boolean"].includes(typeof one)) as string[];
}

/** A mailbox also matches by its name, address and domain; a list of mailboxes by their addresses and domains. */
function listTexts(value: string): string[] {
  const texts = [value, value.trim()];
  const opens = value.lastIndexOf("<");
  const inside = value.trimEnd().slice(opens + 1, -1);
  if (opens >= 0 && value.trimEnd().endsWith(">") && inside !== "" && !/[<>\s]/.test(inside)) {
    const name = value.slice(0, opens).trim().replace(/^"|"$/g, "");
    if (!/["<>]/.test(name)) texts.push(name.trim(), inside);
  }
  const withoutComment = (part: string) => part.replace(/\([^()]*\)\s*$/, "").trim();
  const isAddress = (part: string) => /^[^\s@<>]+@[^\s@<>]+$/.test(part);
  const listed = value.split(/[,;]/).filter((part) => part.trim() !== "");
  const bare = listed.map(withoutComment).filter(isAddress);
  const angled = (value.match(/<[^\s<>]+@[^\s<>]+>/g) ?? []).map((each) => each.slice(1, -1));
  const endsAngled = /<[^\s<>]+>$/.test(withoutComment(value));
  const endsBare = isAddress(withoutComment(listed.at(-1) ?? ""));
  if (endsAngled || (endsBare && (angled.length > 0 || bare.length === listed.length)))
    texts.push(...angled, ...bare);
  for (const text of [...texts]) {
    const [user, domain, ...more] = text.split("@");
    if (user && domain && more.length === 0 && !/[\s<>]/.test(text)) texts.push(`@${domain}`);
  }
  return texts;
}

function timeOf({ format }: FieldShape, value: unknown): number | undefined {
  return format === "date-time" || format === "date" ? parseTimeMs(value) : undefined;
}

function isSame(
  field: FieldShape,
  value: string | number | boolean,
  other: string | number | boolean,
): boolean {
  const [time, wanted] = [timeOf(field, value), timeOf(field, other)];
  if (time !== undefined || wanted !== undefined) return time === wanted;
  if (typeof value !== "string" || typeof other !== "string") return value === other;
  return listTexts(value).some((text) => foldValue(text) === foldValue(other));
}

function isInside(
  field: FieldShape,
  value: string | number | boolean,
  { gt, gte, lt, lte }: Extract<Condition, { op: "range" }>,
): boolean {
  const bounds = [gt, gte, lt, lte];
  const times =
    timeOf(
      field,
      bounds.find((one) => one !== undefined),
    ) !== undefined;
  const read = (one: unknown) => (times ? timeOf(field, one) : typeof one === "number" ? one : undefined);
  const own = read(value);
  if (own === undefined || (!times && timeOf(field, value) !== undefined)) return false;
  const holds = [
    (bound: number) => own > bound,
    (bound: number) => own >= bound,
    (bound: number) => own < bound,
    (bound: number) => own <= bound,
  ];
  return bounds.every((bound, at) => bound === undefined || holds[at]?.(read(bound) as number));
}
