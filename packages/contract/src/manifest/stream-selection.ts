import { recordIdSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { whereSchema } from "../grant/condition.ts";

const time = z.string().describe("ISO 8601, in whole milliseconds; a time without an offset is UTC.");

/** A range of consent time: from `since` (included) to `until` (excluded). */
const timeRangeSchema = z.strictObject({ since: time.optional(), until: time.optional() });

/** What a request or a preset selects of one stream: a view or fields, a time range, single records, conditions. */
export const streamSelectionShape = {
  view: z.string().min(1).optional(),
  fields: z.array(z.string()).min(1).optional(),
  time_range: timeRangeSchema.optional(),
  resources: z.array(recordIdSchema).min(1).optional(),
  where: whereSchema.optional(),
  necessity: z.enum(["required", "optional"]).optional(),
};

/** A selection that a source declaration offers by name. */
export const selectionPresetSchema = z.strictObject({
  id: z.string().min(1),
  label: z.string().optional(),
  description: z.string().optional(),
  streams: z.array(z.strictObject({ name: streamNameSchema, ...streamSelectionShape })).min(1),
});
