import { z } from "zod";

/** What is left of a grant's budget; a limit that the grant does not have is left out (R83). */
const budgetLeftSchema = z.looseObject({
  records: z.int().min(0).optional(),
  bytes: z.int().min(0).optional(),
  records_today: z.int().min(0).optional(),
  bytes_today: z.int().min(0).optional(),
  resets_at: z.string().describe("When the daily limits reset.").optional(),
});

/** What is left of a grant's budget. */
export type BudgetLeft = z.infer<typeof budgetLeftSchema>;

/** The header that every answer under a budget has: `records=88, resets_at="2026-01-02T00:00:00.000Z"` (RFC 9651 dictionary). */
export const BUDGET_HEADER = "Rungs-Budget";

/** Names the request whose answer this one replaces with a shorter one; the server does not charge it again. */
export const SHORTENS_HEADER = "Rungs-Shortens";

/** Writes the value of the header. */
export function formatBudgetLeft(left: BudgetLeft): string {
  return Object.entries(left)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ");
}

const MEMBER = /([a-z_]+)=("[^"]*"|\d+)/g;

/** Reads the header's value; undefined when there is none, or none of this form. */
export function parseBudgetLeft(value: string | null): BudgetLeft | undefined {
  const members = [...(value ?? "").matchAll(MEMBER)].map(([, name, text]) => [
    name,
    JSON.parse(text as string),
  ]);
  return members.length === 0 ? undefined : budgetLeftSchema.safeParse(Object.fromEntries(members)).data;
}

/** Says what is left of the grant's budget. */
export function renderBudgetLeft({
  records,
  bytes,
  records_today,
  bytes_today,
  resets_at,
}: BudgetLeft): string {
  const left = [
    ...(records === undefined ? [] : [`${records} records`]),
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(records_today === undefined ? [] : [`${records_today} records today`]),
    ...(bytes_today === undefined ? [] : [`${bytes_today} bytes today`]),
  ];
  return `Left of this grant's budget: ${left.join(", ")}${resets_at === undefined ? "" : `; the day ends ${resets_at}`}.`;
}
