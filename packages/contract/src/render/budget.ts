import { z } from "zod";

/** What is left of a grant's budget; a limit that the grant does not have is left out (R83). */
const budgetLeftSchema = z.looseObject({
  records: z.int().min(0).optional(),
  bytes: z.int().min(0).optional(),
  records_today: z.int().min(0).optional(),
  bytes_today: z.int().min(0).optional(),
  resets_at: z.string().describe("When the limits of the day start again.").optional(),
});

/** What is left of a grant's budget. */
export type BudgetLeft = z.infer<typeof budgetLeftSchema>;

/** Renders what an answer says is left of the grant's budget; undefined when it says nothing. */
export function renderBudgetLeft(answer: unknown): string | undefined {
  const parsed = z.looseObject({ budget: budgetLeftSchema }).safeParse(answer);
  if (!parsed.success) return undefined;
  const { records, bytes, records_today, bytes_today, resets_at } = parsed.data.budget;
  const left = [
    ...(records === undefined ? [] : [`${records} records`]),
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(records_today === undefined ? [] : [`${records_today} records today`]),
    ...(bytes_today === undefined ? [] : [`${bytes_today} bytes today`]),
  ];
  return `Left of this grant's budget: ${left.join(", ")}${resets_at === undefined ? "" : `; the day ends ${resets_at}`}.`;
}
