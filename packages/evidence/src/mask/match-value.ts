import { RE2JS } from "re2js";
import { foldForDetection, readAsSeen } from "./fold.ts";

/** Tests the texts, numbers and member names of a JSON value at any depth. */
export type ValueTest = (value: unknown) => boolean;

/**
 * Tests whether an RE2 expression matches anywhere in a value, in linear time for any expression: in the text as it is seen, with
 * accents composed, or in its plain form, as detectors read it.
 */
export function createValueTest(expression: string): ValueTest {
  const compiled = RE2JS.compile(expression.normalize("NFC"));
  const matches = (text: string) => [...listForms(text)].some((form) => compiled.test(form));
  const test: ValueTest = (value) => {
    if (typeof value === "string") return matches(value);
    if (typeof value === "number") return matches(String(value));
    if (Array.isArray(value)) return value.some(test);
    if (value === null || typeof value !== "object") return false;
    return Object.entries(value).some(([name, item]) => matches(name) || test(item));
  };
  return test;
}

function listForms(text: string): Set<string> {
  const seen = readAsSeen(text).text;
  return new Set([seen, foldForDetection(seen).text]);
}
