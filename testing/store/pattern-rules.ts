/** Rules by pattern for random scopes. A rule's id contains its pattern, so that the oracle needs no list of rules. */
import type { Store } from "@rungs/store";
import { EMITTED_AT } from "./world.ts";

const PATTERNS = [
  "river",
  "(?i)CAF[eé]",
  "京都|東京",
  "x2$|quartz",
  "foo@bar\\.com",
  "^-?\\d\\.5$",
  "(?i)grün",
  "zephyr.{0,40}stone",
];

export const PATTERN_RULES = PATTERNS.map((pattern) => `pattern_${Buffer.from(pattern).toString("hex")}`);

/** The pattern of a rule of `PATTERN_RULES`. */
export function patternOf(rule_id: string): string {
  return Buffer.from(rule_id.slice("pattern_".length), "hex").toString();
}

/** Gives an owner all of the rules. They hide only from scopes that name them. */
export async function addPatternRules(store: Store, owner_id: string): Promise<void> {
  for (const rule_id of PATTERN_RULES) {
    const hides = { kind: "pattern" as const, pattern: patternOf(rule_id) };
    await store.putExclusion(owner_id, { rule_id, created_at: EMITTED_AT, hides });
  }
  await finishRules(store, owner_id);
}

/** Compares all records with the rules. */
export async function finishRules(store: Store, owner_id: string): Promise<void> {
  while ((await store.tagMatching(owner_id)).state === "progress");
}

/** The oracle: whether a text, a number or the name of a nested member matches. */
export function matchesRule(rule_id: string, data: Readonly<Record<string, unknown>>): boolean {
  const pattern = patternOf(rule_id);
  const expression = new RegExp(pattern.replace("(?i)", ""), pattern.startsWith("(?i)") ? "siu" : "u");
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") texts.push(String(value));
    else if (value !== null && typeof value === "object")
      for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value)) texts.push(name);
        collect(member);
      }
  };
  for (const value of Object.values(data)) collect(value);
  return texts.some((text) => expression.test(text));
}
