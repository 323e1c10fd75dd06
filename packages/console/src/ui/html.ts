import { html } from "hono/html";

/** Markup in which every value has been escaped. */
export type Html = ReturnType<typeof html>;

/** Markup that is there only when its value is. */
export function when<T>(value: T | undefined | null | false, show: (value: T) => Html): Html | string {
  return value === undefined || value === null || value === false ? "" : show(value);
}

export { html };
