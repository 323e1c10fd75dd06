import { z } from "zod";
import { findExpressionFault } from "./own-values.ts";

/** The kinds of values that detectors find. */
export const maskKindSchema = z.enum(["email", "phone", "card", "iban", "national_id", "address", "secret"]);

/** A kind of value that a detector finds. */
export type MaskKind = z.infer<typeof maskKindSchema>;

const MAX_WORDS = 500;
const MAX_EXPRESSIONS = 50;
const MAX_WORD_CHARS = 200;
const MAX_EXPRESSION_CHARS = 1000;

const word = z
  .string()
  .max(MAX_WORD_CHARS)
  .refine(isWord, { error: "must have a letter, a digit or a symbol" });
/** An RE2 expression of the owner. */
export const expressionSchema = z
  .string()
  .min(1)
  .max(MAX_EXPRESSION_CHARS)
  .refine((source) => findExpressionFault(source) === undefined, {
    error: ({ input }) => findExpressionFault(String(input)),
  });

/** What to mask in the values of fields: kinds of values, and the owner's own words and expressions. */
export const maskRulesSchema = z.strictObject({
  kinds: z.array(maskKindSchema).optional(),
  words: z.array(word).max(MAX_WORDS).optional(),
  expressions: z.array(expressionSchema).max(MAX_EXPRESSIONS).optional(),
});

/** What to mask in the values of fields. */
export type MaskRules = z.infer<typeof maskRulesSchema>;

/** Whether rules mask anything at all. */
export function hasMaskRules({ kinds = [], words = [], expressions = [] }: MaskRules): boolean {
  return kinds.length + words.length + expressions.length > 0;
}

function isWord(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}
