/** Conditions on the values of records: what a grant narrows a stream to, and what the owner's exclusions hide. */
import { countBytes } from "@rungs/evidence";
import { z } from "zod";

/** The longest text that a condition compares, in UTF-8 bytes. Longer values equal no text in a condition. */
const TEXT_BYTES = 1_024;
const MAX_VALUES = 1_000;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

const text = z.string().refine((value) => countBytes(foldValue(value)) <= TEXT_BYTES, {
  error: `must have at most ${TEXT_BYTES} bytes`,
});
const scalar = z.union([text, z.number(), z.boolean()]);
const field = z.string().min(1);
const bound = z.union([z.number(), z.string().min(1)]);

/**
 * One condition. Text compares without regard to case and width; a list has a value if one of its items is that value;
 * `Name <address>` also has the values `Name`, `address` and `@domain`. A record without a value meets only `not_in` and `absent`.
 */
export const conditionSchema = z.discriminatedUnion("op", [
  z.strictObject({ field, op: z.literal("equals"), value: scalar }),
  z.strictObject({ field, op: z.literal("in"), values: z.array(scalar).min(1).max(MAX_VALUES) }),
  z.strictObject({ field, op: z.literal("not_in"), values: z.array(scalar).min(1).max(MAX_VALUES) }),
  z.strictObject({ field, op: z.literal("prefix"), value: text.min(1) }),
  z
    .strictObject({
      field,
      op: z.literal("range"),
      gt: bound.optional(),
      gte: bound.optional(),
      lt: bound.optional(),
      lte: bound.optional(),
    })
    .refine(({ gt, gte, lt, lte }) => (gt ?? gte ?? lt ?? lte) !== undefined, {
      error: "needs a bound: gt, gte, lt or lte",
    }),
  z.strictObject({ field, op: z.literal("present") }),
  z.strictObject({ field, op: z.literal("absent") }),
]);

/** A condition on one field of a record. */
export type Condition = z.infer<typeof conditionSchema>;

/** A value that a condition compares. */
export type ConditionValue = z.infer<typeof scalar>;

/** Conditions that a record must all meet. */
export const whereSchema = z.array(conditionSchema).min(1).max(32);

/** Folds a text as conditions compare it: case, width and invisible characters do not count. */
export function foldValue(value: string): string {
  return value
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("i\u0307", "i")
    .replaceAll("ς", "σ")
    .normalize("NFC");
}
