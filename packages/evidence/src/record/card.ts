import { z } from "zod";
import { countChars, foldToLine, sliceChars } from "../text/code-points.ts";

/**
 * The roles that a manifest may give a field (`x_pdpp_role`). `actor` is the author or agent. `thread` identifies the
 * conversation: records of a stream with the same value belong together, in order of time. `parent` is the key of the
 * record in the same stream that this one answers. `recipient` is whom it is addressed to, `place` where it happens and
 * `end-time` when it ends. If several fields have a role, the first with a value counts in the card.
 */
export const roleSchema = z.enum([
  "primary-title",
  "body",
  "secondary",
  "event-time",
  "actor",
  "amount",
  "thread",
  "parent",
  "recipient",
  "place",
  "end-time",
]);

/** The role of a field. */
export type Role = z.infer<typeof roleSchema>;

/** A summary of a record in a few short lines, from declared roles only (R36). */
export const cardSchema = z.looseObject({
  title: z.string().optional(),
  event_time: z.string().optional(),
  actor: z.string().optional(),
  secondary: z.string().optional(),
  amount: z.string().optional(),
  body_field: z.string().optional(),
});

/** A summary of a record in a few short lines. */
export type Card = z.infer<typeof cardSchema>;

/** The fields of each role, in order of declaration. */
export type RoleFields = { readonly [role in Role]?: readonly string[] | undefined };

/** The longest line of a card. */
export const CARD_LINE_CHARS = 200;

const LINES = {
  title: "primary-title",
  event_time: "event-time",
  actor: "actor",
  secondary: "secondary",
  amount: "amount",
} as const satisfies { [line in keyof Card]: Role };

/** Creates a record's card from the fields with a declared role; the first with a value counts. */
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
