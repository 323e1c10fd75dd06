import { html, raw } from "hono/html";

/** Markup whose values are escaped. */
export type Html = ReturnType<typeof html>;

/** Renders markup only if its value is present. */
export function when<T>(value: T | undefined | null | false, show: (value: T) => Html): Html | string {
  return value === undefined || value === null || value === false ? "" : show(value);
}

export { html, raw };
