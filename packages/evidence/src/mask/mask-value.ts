import type { MaskText } from "./create-masker.ts";

/** Masks the strings and the member names of a JSON value at any depth; a number that a detector finds becomes its token. */
export function maskValue(value: unknown, mask: MaskText, label = ""): unknown {
  if (typeof value === "string") return mask(value, label);
  if (typeof value === "number") {
    const text = String(value);
    const masked = mask(text, label);
    return masked === text ? value : masked;
  }
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask, label));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      mask(name),
      maskValue(item, mask, labelMember(label, name)),
    ]),
  );
}

/** The names that lead to a value, in words: `phones`, then `homeNumber`, is `phones home Number`. */
export function labelMember(within: string, name: string): string {
  const words = name
    .slice(-LABEL_UNITS)
    .replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ")
    .replace(/[\s_.:;-]+/g, " ");
  return `${within} ${words}`.slice(-LABEL_UNITS).trim();
}

const LABEL_UNITS = 128;
