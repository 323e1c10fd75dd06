/** Conditions in readable form: `labels includes "tax"`. */
import { ApiError } from "../errors/errors.ts";
import { type Condition, type ConditionValue, conditionSchema } from "./condition.ts";

type Build = (field: string, values: readonly ConditionValue[]) => unknown;

const equals: Build = (field, values) =>
  values.length > 1 ? { field, op: "in", values } : { field, op: "equals", value: values[0] };
const notIn: Build = (field, values) => ({ field, op: "not_in", values });
const single =
  (op: string): Build =>
  (field, [value, ...more]) => ({ field, op, value: more.length > 0 ? undefined : String(value) });
const SIGNS = { gte: ">=", lte: "<=", gt: ">", lt: "<" } as const;

/** Each operator with the condition that it builds. Where one is a prefix of another, the longer one comes first. */
const operators: readonly (readonly [written: RegExp, build: Build])[] = [
  [/^does not include\b/i, notIn],
  [/^(?:is )?not in\b/i, notIn],
  [/^is not present$/i, (field) => ({ field, op: "absent" })],
  [/^(?:is )?absent$/i, (field) => ({ field, op: "absent" })],
  [/^(?:is )?present$/i, (field) => ({ field, op: "present" })],
  [/^(?:is not|excludes?)\b/i, notIn],
  [/^!=/, notIn],
  [/^(?:includes?|equals|is|in)\b/i, equals],
  [/^(?:starts with|prefix)\b/i, single("prefix")],
  [/^=/, equals],
];

const CONDITION = /^\s*(?:(?<quoted>"(?:[^"\\]|\\.)+")|(?<bare>[^\s"<>=!]+))\s*(?<rest>\S.*)$/su;
const BOUND = /^\s*(?<sign>[<>]=?)\s*(?:(?<quoted>"(?:[^"\\]|\\.)*")|(?<bare>[^\s",<>=]+))\s*(?:$|and\b)/iu;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
const EXAMPLES = 'labels includes "tax", from is "@example.com", folder starts with "Work/", amount >= 100';

/** Parses a condition as people write it, or throws `invalid_request` with what it must look like. */
export function parseCondition(written: string): Condition {
  const { quoted, bare, rest = "" } = CONDITION.exec(written)?.groups ?? {};
  const field = quoted === undefined ? bare : unquote(quoted);
  const trimmed = rest.trim();
  if (field === undefined) return refuse(written);
  const parsed = conditionSchema.safeParse(
    /^[<>]/.test(trimmed) ? parseRange(field, trimmed, written) : parseOperator(field, trimmed),
  );
  return parsed.success ? parsed.data : refuse(written);
}

function parseOperator(field: string, trimmed: string): unknown {
  const [pattern, build] = operators.find(([each]) => each.test(trimmed)) ?? [];
  const values = pattern && parseValues(trimmed.replace(pattern, ""));
  return values && build?.(field, values);
}

/** `> 1`, or `>= 1 and < 9`; the field may be repeated after `and`. Undefined for anything else. */
function parseRange(field: string, trimmed: string, written: string): unknown {
  const condition: Record<string, unknown> = { field, op: "range" };
  for (let rest = trimmed; rest !== ""; ) {
    const found = BOUND.exec(rest);
    const { sign, quoted, bare = "" } = found?.groups ?? {};
    const name = Object.entries(SIGNS).find(([, each]) => each === sign)?.[0];
    if (!found || name === undefined || name in condition) return undefined;
    condition[name] = quoted !== undefined ? unquote(quoted) : NUMBER.test(bare) ? Number(bare) : bare;
    rest = rest.slice(found[0].length).trim();
    const again = /and\s*$/i.test(found[0]);
    if (again !== (rest !== "")) return undefined;
    if (again && !/^[<>]/.test(rest)) {
      const next = CONDITION.exec(rest)?.groups;
      if ((next?.quoted === undefined ? next?.bare : unquote(next.quoted)) !== field) return refuse(written);
      rest = next?.rest ?? "";
    }
  }
  return condition;
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
  if (quoted !== undefined) return unquote(quoted);
  if (bare === "true" || bare === "false") return bare === "true";
  // `007` and overlong numbers parse as text, which stands for a number in numeric fields.
  return NUMBER.test(bare) && String(Number(bare)) === bare ? Number(bare) : bare;
}

function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Renders a condition as people write it; `parseCondition` reads it back. */
export function renderCondition(condition: Condition): string {
  const field = /[\s"<>=!\\]/.test(condition.field) ? JSON.stringify(condition.field) : condition.field;
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

function renderRange(field: string, condition: Extract<Condition, { op: "range" }>): string {
  const bounds = Object.entries(SIGNS).flatMap(([name, sign]) => {
    const value = condition[name as keyof typeof SIGNS];
    return value === undefined ? [] : [`${sign} ${JSON.stringify(value)}`];
  });
  return `${field} ${bounds.join(" and ")}`;
}
