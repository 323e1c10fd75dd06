import { foldToLine, sliceChars } from "@rungs/evidence";
import type { PageRecord } from "./page.ts";

/** How a record's main text begins, on one line; undefined for a record without one. It tells records with one title apart. */
export function renderSnippet({ view }: PageRecord, max_chars: number): string | undefined {
  const body = view.fields.find(({ role, preview }) => role === "body" && preview !== "");
  if (body === undefined) return undefined;
  const line = foldToLine(body.preview).replace(/\s+/g, " ").trim();
  const shown = sliceChars(line, 0, max_chars);
  return shown === line && body.status !== "truncated" ? line : `${shown}…`;
}
