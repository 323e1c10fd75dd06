/** Accessibility problems of a page, as axe-core finds them. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Lists the findings on a page that are more than minor, each with its elements. */
export async function findBarriers(page: Page, rules: object = {}): Promise<string[]> {
  // The policy of the pages lets no script in but the debugger's.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const found = (await page.evaluate(`axe.run(${JSON.stringify(rules)})`)) as { violations: Violation[] };
  return found.violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
