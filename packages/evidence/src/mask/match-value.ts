import { RE2JS } from "re2js";
import { stripHidden } from "./fold.ts";

/** Tests the texts, numbers and member names of a JSON value at any depth. */
export type ValueTest = (value: unknown) => boolean;

/** Tests whether an RE2 expression matches anywhere in a value, in linear time for any expression. */
export function createValueTest(expression: string): ValueTest {
  const compiled = RE2JS.compile(expression);
  const matches = (text: string) => compiled.test(stripHidden(text).text);
  const test: ValueTest = (value) => {
    if (typeof value === "string") return matches(value);
    if (typeof value === "number") return matches(String(value));
    if (Array.isArray(value)) return value.some(test);
    if (value === null || typeof value !== "object") return false;
    return Object.entries(value).some(([name, item]) => matches(name) || test(item));
  };
  return test;
}
