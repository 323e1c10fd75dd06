/** The table of docs/agents.md: what the models of real hosts saw of Rungs' answers. */
import { RUNGS } from "./climb.ts";
import type { Outcome } from "./drive.ts";
import { samples } from "./samples.ts";

const BEGIN = "<!-- written by npm run hosts -->";
const END = "<!-- end -->";

/** Renders the outcomes of all runs. A cell lists the transports over which the model saw everything. */
export function renderTable(outcomes: readonly Outcome[], now: Date): string {
  const hosts = [...new Set(outcomes.map(({ host }) => host))];
  const of = (at: number) => outcomes.filter(({ host }) => host === hosts[at]);
  const row = (name: string, cell: (runs: readonly Outcome[]) => string) =>
    `| ${name} | ${hosts.map((_, at) => cell(of(at))).join(" | ")} |`;
  const steps = samples.flatMap(({ name }) =>
    RUNGS.map((rung) => row(`${rung}, ${name}`, (runs) => listTransports(runs, name, rung))),
  );
  return [
    `Measured on ${now.toISOString().slice(0, 10)}.`,
    "",
    `| | ${hosts.map(({ name, version }) => `${name} ${version}`).join(" | ")} |`,
    `|---|${hosts.map(() => "---|").join("")}`,
    row("the model sees", ([run]) => describeHalves(run)),
    row("tools that it can call at once", ([run]) => String(run?.tools)),
    ...steps,
    row("largest answer, as the model sees it", (runs) => `${formatLargest(runs)} bytes`),
  ].join("\n");
}

/** Puts a new table in the place of the old one. */
export function replaceTable(page: string, table: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error("docs/agents.md has no place for the table.");
  return `${page.slice(0, start)}${BEGIN}\n${table}\n${page.slice(end)}`;
}

function listTransports(runs: readonly Outcome[], sample: string, rung: string): string {
  const cells = runs.map(({ transport, steps }) => {
    const step = steps.find((each) => each.sample === sample && each.rung === rung);
    return step && step.problem === undefined ? transport : `**not ${transport}**`;
  });
  return cells.join(", ");
}

function describeHalves(run: Outcome | undefined): string {
  const { text = false, structured = false } = run?.halves ?? {};
  return text && structured ? "both halves" : text ? "the text" : "the structured half";
}

function formatLargest(runs: readonly Outcome[]): string {
  return Math.max(...runs.map(({ largest_bytes }) => largest_bytes)).toLocaleString("en");
}
