/**
 * `npm run soak [kills|faults|failover|processes|load|curves|beside|hostile]… [--kills N] [--seconds N] [--agents N] [--records N] [--figures FILE]`:
 * faults and load in their long form. A broken guarantee ends the run; the figures go to `docs/figures.md`.
 */
import { parseArgs } from "node:util";
import { keepFigures } from "../bench/figures.ts";
import { withPostgres } from "../testing/postgres.ts";
import { reportFailover, reportFaults, reportKills, reportProcesses } from "./report-faults.ts";
import { reportBeside, reportCurves, reportHostile, reportLoad } from "./report-load.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "200" },
    seconds: { type: "string", default: "120" },
    agents: { type: "string", default: "200" },
    records: { type: "string", default: "1000000" },
    figures: { type: "string" },
  },
});
const seconds = Number(values.seconds);

const parts: Readonly<Record<string, () => Promise<void>>> = {
  kills: () => reportKills(Number(values.kills)),
  faults: () => reportFaults(Number(values.kills)),
  failover: () => reportFailover(Number(values.kills)),
  processes: () => reportProcesses(seconds),
  load: () => reportLoad(Number(values.agents), seconds),
  curves: () => withPostgres(() => reportCurves(Number(values.records))),
  beside: () => reportBeside(seconds / 4),
  hostile: () => reportHostile(seconds / 4),
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`There is no soak ${name}; there are ${Object.keys(parts).join(", ")}.`);
  await keepFigures(`soak ${name}`, part, { file: values.figures });
}
