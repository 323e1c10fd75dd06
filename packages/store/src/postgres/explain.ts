import type { Sql, Value } from "../database.ts";

/** A node of a plan. Only the members named here are ever shown: conditions and filters contain parameter values. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "CTE Name"?: string;
  readonly "Plan Rows": number;
  readonly "Total Cost": number;
  readonly Plans?: readonly PlanNode[];
}

/** The plan of a statement with these values, as lines, without any of the values. The statement is not run. */
export async function explain(sql: Sql, text: string, values: readonly Value[]): Promise<string[]> {
  // The driver parses JSON.
  const rows: readonly unknown[] = await sql.all(`EXPLAIN (FORMAT JSON) ${text}`, values);
  const plans = (
    rows as readonly { readonly "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }[]
  ).flatMap((row) => row["QUERY PLAN"]);
  return plans.flatMap(({ Plan }) => [...renderNode(Plan, 0)]);
}

function* renderNode(node: PlanNode, depth: number): Generator<string> {
  const index = node["Index Name"] === undefined ? "" : ` using ${node["Index Name"]}`;
  const table = node["Relation Name"] ?? node["CTE Name"];
  const on = table === undefined ? "" : ` on ${table}`;
  const facts = `(rows=${node["Plan Rows"]} cost=${node["Total Cost"]})`;
  yield `${"  ".repeat(depth)}${node["Node Type"]}${index}${on} ${facts}`;
  for (const each of node.Plans ?? []) yield* renderNode(each, depth + 1);
}
