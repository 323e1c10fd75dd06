import type { MaskText } from "./create-masker.ts";

/** Masks the strings and the member names of a JSON value at any depth; a number that a detector finds becomes its token. */
export function maskValue(value: unknown, mask: MaskText): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") {
    const text = String(value);
    const masked = mask(text);
    return masked === text ? value : masked;
  }
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), maskValue(item, mask)]));
}
