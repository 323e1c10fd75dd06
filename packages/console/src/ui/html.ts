import { html, raw } from "hono/html";

/** Markup whose values are escaped. */
export type Html = ReturnType<typeof html>;

/** Renders markup only if its value is present. */
export function when<T>(value: T | undefined | null | false, show: (value: T) => Html): Html | string {
  return value === undefined || value === null || value === false ? "" : show(value);
}

/** The first parts, as many as fit; at least one. */
export function fitBytes(parts: readonly Html[], most_bytes: number): readonly Html[] {
  let left_bytes = most_bytes;
  const end = parts.findIndex((part, at) => {
    left_bytes -= Buffer.byteLength(String(part));
    return left_bytes < 0 && at > 0;
  });
  return end < 0 ? parts : parts.slice(0, end);
}

export { html, raw };
