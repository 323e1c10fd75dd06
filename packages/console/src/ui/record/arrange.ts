/** Arranges the fields of a record by their declared roles: which look it has, and which field goes where. */
import type { FieldView, Role } from "@rungs/evidence";

/** How a record looks. */
export type Look = "message" | "event" | "document" | "card";

/** The fields of a record by what its page does with them. */
export interface Arranged {
  readonly look: Look;
  /** The fields of a role, in order of declaration. */
  readonly byRole: (role: Role) => readonly FieldView[];
  readonly files: readonly FieldView[];
  /** The fields that neither a role nor a file places. */
  readonly others: readonly FieldView[];
}

/** The roles that each look needs; the first whose roles are all there wins. */
const LOOKS: readonly (readonly [Look, readonly Role[]])[] = [
  ["event", ["event-time", "end-time"]],
  ["event", ["event-time", "place"]],
  ["message", ["actor", "body"]],
  ["document", ["body", "event-time"]],
];
/** Shown by their places in every look. */
const PLACED: ReadonlySet<Role | undefined> = new Set([
  "primary-title",
  "event-time",
  "end-time",
  "actor",
  "recipient",
  "place",
  "amount",
  "secondary",
  "body",
]);

/** Arranges the fields of a record. */
export function arrangeFields(fields: readonly FieldView[]): Arranged {
  const has = (role: Role) => fields.some((field) => field.role === role);
  const [look] = LOOKS.find(([, roles]) => roles.every(has)) ?? (["card"] as const);
  return {
    look,
    byRole: (role) => fields.filter((field) => field.role === role && !field.binary),
    files: fields.filter(({ binary }) => binary),
    others: fields.filter(({ role, binary }) => !binary && !PLACED.has(role)),
  };
}
