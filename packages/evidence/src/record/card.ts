import { z } from "zod";
import { countChars, sliceChars } from "../text/code-points.ts";
import { foldToLine } from "../text/one-line.ts";

/**
 * What a manifest may declare a field to be for its reader (`x_pdpp_role`). `actor` is who wrote or did it. `thread` names
 * the conversation: records of a stream with the same value belong together, in the order of their time. Where several
 * fields have a role, the first that has a value counts.
 */
export const roleSchema = z.enum([
  "primary-title",
  "body",
  "secondary",
  "event-time",
  "actor",
  "amount",
  "thread",
]);

/** What a field is for its reader. */
export type Role = z.infer<typeof roleSchema>;

/** A record in a few short lines, made of declared roles only (R36). */
export const cardSchema = z.looseObject({
  title: z.string().optional(),
  event_time: z.string().optional(),
  actor: z.string().optional(),
  secondary: z.string().optional(),
  amount: z.string().optional(),
  body_field: z.string().optional(),
});

/** A record in a few short lines. */
export type Card = z.infer<typeof cardSchema>;

/** The fields that a manifest gave each role, in order of declaration. */
export type RoleFields = { readonly [role in Role]?: readonly string[] | undefined };

/** How long a line of a card may be. */
export const CARD_LINE_CHARS = 200;

const LINES = {
  title: "primary-title",
  event_time: "event-time",
  actor: "actor",
  secondary: "secondary",
  amount: "amount",
} as const satisfies { [line in keyof Card]: Role };

/** Makes a record's card from the fields that have a declared role; the first that says something is taken. */
export function createCard(roles: RoleFields, data: Readonly<Record<string, unknown>>): Card {
  const card: Card = {};
  for (const [line, role] of Object.entries(LINES)) {
    const text = roles[role]?.map((field) => formatLine(ownValue(data, field))).find((found) => found !== "");
    if (text !== undefined) card[line] = text;
  }
  const body_field = roles.body?.find((field) => ownValue(data, field) != null);
  return body_field === undefined ? card : { ...card, body_field };
}

function ownValue(data: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(data, field) ? data[field] : undefined;
}

function formatLine(value: unknown): string {
  if (Array.isArray(value))
    return boundLine(
      value
        .map(formatLine)
        .filter((text) => text !== "")
        .join(", "),
    );
  if (typeof value === "string") return boundLine(foldToLine(value).replace(/\s+/g, " ").trim());
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function boundLine(line: string): string {
  return countChars(line) <= CARD_LINE_CHARS ? line : `${sliceChars(line, 0, CARD_LINE_CHARS - 1)}…`;
}
