import { docInScope, recordInScope, type ScopedContext, timeWithin } from "../catalog/scope-sql.ts";
import type { Parameters } from "../database.ts";

/** The parts of a statement over references `b` and their records `r`. */
export interface ScopedReferences {
  readonly from: string;
  readonly condition: string;
}

/**
 * The references to a blob that the scope covers. Looks them up only by the scope's partition, fields, times and
 * records, so that a blob referenced only by hidden records costs the same work as a missing one (R17).
 */
export function referencesInScope(
  context: ScopedContext,
  parameters: Parameters,
  blob_id: string,
): ScopedReferences {
  const { sql, owner, partition } = context;
  const { time } = partition.scope;
  const isPicked = (context.selected ?? partition.scope.record_ids) !== undefined;
  const conditions = [
    `b.owner = ${parameters.add(owner)} AND b.part = ${parameters.add(partition.id)}`,
    // A subquery hides the value from PostgreSQL's planner, which would choose a plan by its number of references,
    // hidden ones included.
    `b.blob_id = (SELECT CAST(${parameters.add(blob_id)} AS TEXT))`,
    sql.dialect.isAnyText("b.field", parameters.add([...partition.granted])),
    ...timeWithin(parameters, time, "b.time_ms"),
    "r.doc = b.doc",
    (isPicked ? recordInScope : docInScope)(context, parameters, "r"),
  ];
  // CROSS JOIN fixes the join order: from the granted records if the scope names them, else from the references.
  const from = isPicked ? "records r CROSS JOIN blob_refs b" : "blob_refs b CROSS JOIN records r";
  return { from, condition: conditions.join(" AND ") };
}
