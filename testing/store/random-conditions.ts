/** Random conditions of grants and exclusions of the owner, on fields granted or not. */
import type { Condition, ConditionValue, FieldShape, StreamScope } from "@rungs/contract";
import type { Random } from "../random.ts";
import type { Oracle } from "./oracle.ts";
import { PATTERN_RULES } from "./pattern-rules.ts";

const TEXTS = [
  "red",
  "RED",
  "Grün",
  "赤",
  "re",
  "",
  "foo@bar.com",
  "@BAR.com",
  "ann lee",
  "café",
  "html",
  "missing",
];

/** Most scopes have none, so that the limits are also tested alone. */
export function randomConditions(
  random: Random,
  oracle: Oracle,
  owner_id: string,
  stream: string,
): Pick<StreamScope, "where" | "never"> {
  const fields = oracle.shapeOf(stream).fields.filter(({ filterable }) => filterable);
  if (fields.length === 0) return {};
  const one = () => randomCondition(random, oracle, owner_id, stream, random.pick(fields));
  const records = oracle.recordsOf(owner_id).filter(({ ref }) => ref.stream === stream);
  const record_ids = random.some(records, 0.1).map(({ ref }) => ref.record_id);
  return {
    ...(random.chance(0.35) ? { where: random.times(random.pick([1, 1, 2]), one) } : {}),
    ...(random.chance(0.2)
      ? {
          never: {
            conditions: random.times(random.pick([0, 1, 2]), one),
            record_ids,
            ...(random.chance(0.6) ? { patterns: random.some(PATTERN_RULES, 0.2) } : {}),
          },
        }
      : {}),
  };
}

function randomCondition(
  random: Random,
  oracle: Oracle,
  owner_id: string,
  stream: string,
  field: FieldShape,
): Condition {
  const stored = oracle
    .recordsOf(owner_id)
    .filter(({ ref }) => ref.stream === stream)
    .flatMap(({ data }) => [data[field.name]].flat())
    .flatMap((value) => (value !== null && typeof value === "object" ? Object.values(value) : [value]))
    .filter((value) => ["string", "number", "boolean"].includes(typeof value) && String(value).length < 200);
  const value = (): ConditionValue => {
    const found =
      stored.length > 0 && random.chance(0.7) ? (random.pick(stored) as ConditionValue) : undefined;
    if (typeof found === "string" && random.chance(0.3)) return found.toUpperCase();
    return found ?? random.pick<ConditionValue>([...TEXTS, 1, -2.5, true]);
  };
  const name = field.name;
  switch (random.int(0, 6)) {
    case 0:
      return { field: name, op: "in", values: random.times(random.pick([1, 3, 12]), value) };
    case 1:
      return { field: name, op: "not_in", values: random.times(random.pick([1, 3]), value) };
    case 2: {
      const text = Array.from(String(value())).slice(0, random.int(1, 4)).join("");
      return { field: name, op: "prefix", value: text === "" ? "r" : text };
    }
    case 3:
      return randomRange(random, field, value) ?? { field: name, op: "present" };
    case 4:
      return { field: name, op: random.pick(["present", "absent"]) };
    default:
      return { field: name, op: "equals", value: value() };
  }
}

/** Only numbers and times have ranges. */
function randomRange(
  random: Random,
  { name, types, format }: FieldShape,
  value: () => ConditionValue,
): Condition | undefined {
  const isNumber = types.some((type) => type === "number" || type === "integer");
  if (!isNumber && format === undefined) return undefined;
  const bound = () => {
    const found = value();
    const fits = isNumber
      ? typeof found === "number"
      : typeof found === "string" && /^\d{4}-\d\d-\d\d/.test(found);
    return fits ? (found as string | number) : isNumber ? random.int(-10, 10) : "2026-01-01";
  };
  return {
    field: name,
    op: "range",
    [random.pick(["gt", "gte"])]: bound(),
    ...(random.chance(0.5) ? { [random.pick(["lt", "lte"])]: bound() } : {}),
  };
}
