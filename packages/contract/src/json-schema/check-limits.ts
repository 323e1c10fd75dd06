import { countChars } from "@rungs/evidence";
import { z } from "zod";
import type { JsonSchemaObject } from "./schema.ts";
import { isJsonObject, problem, type SchemaCheck } from "./schema-check.ts";

const isString = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";

/** Compiles the keywords that compare a value with a number, a pattern or a form. */
export function compileLimits(schema: JsonSchemaObject): SchemaCheck[] {
  const { multipleOf, pattern, format = "" } = schema;
  // zod divides decimals without binary rounding errors.
  const multiple = multipleOf === undefined ? undefined : z.number().multipleOf(multipleOf);
  const expression = pattern === undefined ? undefined : RegExp(pattern);
  const form = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return [
    limit(isString, schema.minLength, "have at least # characters", (text, min) => countChars(text) >= min),
    // A text never has more code points than UTF-16 units, so most need no counting (R22).
    limit(
      isString,
      schema.maxLength,
      "have at most # characters",
      (text, max) => text.length <= max || countChars(text) <= max,
    ),
    limit(isNumber, schema.minimum, "be at least #", (number, min) => number >= min),
    limit(isNumber, schema.maximum, "be at most #", (number, max) => number <= max),
    limit(isNumber, schema.exclusiveMinimum, "be more than #", (number, min) => number > min),
    limit(isNumber, schema.exclusiveMaximum, "be less than #", (number, max) => number < max),
    limit(
      isNumber,
      multipleOf,
      "be a multiple of #",
      (number) => multiple?.safeParse(number).success === true,
    ),
    limit(Array.isArray, schema.minItems, "have at least # items", (items, min) => items.length >= min),
    limit(Array.isArray, schema.maxItems, "have at most # items", (items, max) => items.length <= max),
    limit(
      isJsonObject,
      schema.minProperties,
      "have at least # properties",
      (object, min) => Object.keys(object).length >= min,
    ),
    limit(
      isJsonObject,
      schema.maxProperties,
      "have at most # properties",
      (object, max) => Object.keys(object).length <= max,
    ),
    limit(isString, expression, "have the form that its schema asks for (pattern)", (text, test) =>
      test.test(text),
    ),
    limit(
      isString,
      form,
      `have the form that its schema asks for (${format})`,
      (text, test) => test.safeParse(text).success,
    ),
  ].flat();
}

/** The other formats are annotations, which is JSON Schema's default: real mail addresses break `email`. */
const formats: Readonly<Record<string, z.ZodType>> = {
  "date-time": z.iso.datetime({ offset: true }),
  date: z.iso.date(),
};

/** A check for the values that a keyword applies to; undefined if the schema lacks the keyword. */
function limit<Value, Limit>(
  isMeant: (value: unknown) => value is Value,
  given: Limit | undefined,
  rule: string,
  fits: (value: Value, given: Limit) => boolean,
): SchemaCheck[] {
  if (given === undefined) return [];
  const wrong = problem(`must ${rule.replace("#", String(given))}`);
  return [(value) => (!isMeant(value) || fits(value, given) ? undefined : wrong)];
}
