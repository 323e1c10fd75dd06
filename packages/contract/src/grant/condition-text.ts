/** Conditions as people write and read them: `labels includes "tax"`. */
import { ApiError } from "../errors/errors.ts";
import { type Condition, type ConditionValue, conditionSchema } from "./condition.ts";

type Build = (field: string, values: readonly ConditionValue[]) => unknown;

const equals: Build = (field, values) =>
  values.length > 1 ? { field, op: "in", values } : { field, op: "equals", value: values[0] };
const notIn: Build = (field, values) => ({ field, op: "not_in", values });
const range =
  (bound: "gt" | "gte" | "lt" | "lte"): Build =>
  (field, [value]) => ({ field, op: "range", [bound]: value });

/** Every operator with what it builds. Longer ones first where one begins with another. */
const operators: readonly (readonly [written: RegExp, build: Build])[] = [
  [/^does not include\b/i, notIn],
  [/^(?:is )?not in\b/i, notIn],
  [/^is not present$/i, (field) => ({ field, op: "absent" })],
  [/^(?:is )?absent$/i, (field) => ({ field, op: "absent" })],
  [/^(?:is )?present$/i, (field) => ({ field, op: "present" })],
  [/^(?:is not|excludes)\b/i, notIn],
  [/^!=/, notIn],
  [/^(?:includes|equals|is|in)\b/i, equals],
  [/^(?:starts with|prefix)\b/i, (field, [value]) => ({ field, op: "prefix", value: String(value) })],
  [/^>=/, range("gte")],
  [/^<=/, range("lte")],
  [/^>/, range("gt")],
  [/^</, range("lt")],
  [/^=/, equals],
];

const CONDITION = /^\s*(?:"(?<quoted>[^"]+)"|(?<field>[^\s"<>=!]+))\s*(?<rest>\S.*)$/su;
const EXAMPLES = 'labels includes "tax", from is "@example.com", folder starts with "Work/", amount >= 100';

/** Parses a condition as people write it, or throws `invalid_request` with what it must look like. */
export function parseCondition(written: string): Condition {
  const { quoted, field = quoted, rest = "" } = CONDITION.exec(written)?.groups ?? {};
  const trimmed = rest.trim();
  const found = operators.find(([pattern]) => pattern.test(trimmed));
  if (field === undefined || !found) return refuse(written);
  const [pattern, build] = found;
  const values = parseValues(trimmed.replace(pattern, ""));
  const parsed = values && conditionSchema.safeParse(build(field, values));
  return parsed?.success ? parsed.data : refuse(written);
}

function refuse(written: string): never {
  throw new ApiError("invalid_request", {
    param: "where",
    message: `${JSON.stringify(written)} is not a condition. A condition is a field, an operator and a value: ${EXAMPLES}.`,
  });
}

const VALUE = /\s*(?:(?<quoted>"(?:[^"\\]|\\.)*")|(?<bare>[^",]+))\s*(?:,|$)/suy;

/** Values separated by commas: quoted texts, numbers, true and false, or words as they are. */
function parseValues(list: string): ConditionValue[] | undefined {
  const values: ConditionValue[] = [];
  VALUE.lastIndex = 0;
  while (VALUE.lastIndex < list.trimEnd().length) {
    const found = VALUE.exec(list)?.groups;
    if (!found) return undefined;
    values.push(parseValue(found.quoted, found.bare?.trim() ?? ""));
  }
  return values;
}

function parseValue(quoted: string | undefined, bare: string): ConditionValue {
  if (quoted !== undefined) {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      return quoted.slice(1, -1);
    }
  }
  if (bare === "true" || bare === "false") return bare === "true";
  return /^-?\d+(?:\.\d+)?$/.test(bare) ? Number(bare) : bare;
}

/** Renders a condition as people write it; `parseCondition` reads it back. */
export function renderCondition(condition: Condition): string {
  const field = /[\s"<>=!]/.test(condition.field) ? `"${condition.field}"` : condition.field;
  switch (condition.op) {
    case "equals":
      return `${field} is ${JSON.stringify(condition.value)}`;
    case "in":
    case "not_in":
      return `${field} ${condition.op === "in" ? "in" : "not in"} ${condition.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "prefix":
      return `${field} starts with ${JSON.stringify(condition.value)}`;
    case "range":
      return renderRange(field, condition);
    default:
      return `${field} is ${condition.op}`;
  }
}

const SIGNS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function renderRange(field: string, condition: Extract<Condition, { op: "range" }>): string {
  const bounds = Object.entries(SIGNS).flatMap(([name, sign]) => {
    const value = condition[name as keyof typeof SIGNS];
    return value === undefined ? [] : [`${field} ${sign} ${JSON.stringify(value)}`];
  });
  return bounds.join(" and ");
}
