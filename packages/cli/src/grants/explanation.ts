import { parseRecordId } from "@rungs/evidence";
import type { Explanation } from "@rungs/server";
import type { StoredRef } from "@rungs/store";
import { UsageError } from "../command/exit.ts";

/** Renders why a grant shows a record, rule by rule, and which fields. */
export function renderExplanation({ is_visible, rules, fields }: Explanation): string {
  const named = (isVisible: boolean) =>
    fields.filter((each) => each.is_visible === isVisible).map(({ field }) => field);
  const left_out = named(false);
  const masked = fields.filter((each) => each.is_visible && each.is_masked).map(({ field }) => field);
  return [
    is_visible ? "The grant shows this record." : "The grant does not show this record.",
    ...rules.map(({ rule, allows }) => `  ${allows ? "yes" : "NO "}  ${rule}`),
    ...(is_visible
      ? [
          `Fields shown: ${named(true).join(", ")}`,
          ...(masked.length === 0 ? [] : [`Fields with masked values: ${masked.join(", ")}`]),
          ...(left_out.length === 0 ? [] : [`Fields left out: ${left_out.join(", ")}`]),
        ]
      : []),
  ].join("\n");
}

/** Parses a whole record id, which names the connection and the stream. */
export function requireWholeId(id: string): StoredRef {
  const { connection_id, stream, record_id } = parseRecordId(id);
  if (connection_id === undefined || stream === undefined)
    throw new UsageError(`${id} is not a whole record id: CONNECTION/STREAM:KEY.`);
  return { connection_id, stream, record_id };
}
