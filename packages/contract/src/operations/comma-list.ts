import { z } from "zod";

const commaLists = z.registry<{ separator: "," }>();

/** A list that a query string writes as one value, `a,b`; other lists repeat their parameter. */
export function commaList<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).min(1).register(commaLists, { separator: "," });
}

/** Whether a list is written as one value. */
export function isCommaList(schema: z.core.$ZodType): boolean {
  return commaLists.get(schema) !== undefined;
}
