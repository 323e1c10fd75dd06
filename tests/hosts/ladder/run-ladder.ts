/** Drives every host over every transport and writes the table of docs/agents.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { hosts } from "../hosts.ts";
import { driveHost, type Outcome } from "./drive.ts";
import { installHost } from "./install.ts";
import { openMailbox, type Transport } from "./mailbox.ts";
import { renderTable, replaceTable } from "./table.ts";

const PAGE = new URL("../../../docs/agents.md", import.meta.url);
const TRANSPORTS: readonly Transport[] = ["stdio", "HTTP"];

/** Runs the hosts; false when one of them could not climb, or showed its model less than Rungs sent. */
export async function runLadder(): Promise<boolean> {
  const mailbox = await openMailbox();
  const outcomes: Outcome[] = [];
  const failures: string[] = [];
  try {
    for (const host of hosts) {
      const bin = await installHost(host);
      for (const transport of TRANSPORTS) {
        try {
          outcomes.push(await driveHost(host, { bin, mailbox, transport }));
        } catch (error) {
          failures.push(`${host.name} over ${transport}: ${error instanceof Error ? error.message : error}`);
        }
      }
    }
  } finally {
    await mailbox.close();
  }
  for (const { host, transport, steps } of outcomes) {
    for (const { sample, rung, problem } of steps) {
      if (problem !== undefined)
        failures.push(`${host.name} over ${transport}, ${rung} of ${sample}: ${problem}`);
    }
  }
  const table = renderTable(outcomes, new Date());
  console.log(table);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) return false;
  writeFileSync(PAGE, replaceTable(readFileSync(PAGE, "utf8"), table));
  return true;
}
