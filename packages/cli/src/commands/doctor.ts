import { existsSync } from "node:fs";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { explainFailure } from "../command/failure.ts";
import { renderTable } from "../command/table.ts";
import { checkAccess } from "../doctor/check-access.ts";
import { checkFile } from "../doctor/check-file.ts";
import { checkAuthority, checkStore } from "../doctor/check-store.ts";
import { type Finding, fine, wrong } from "../doctor/finding.ts";
import { tokenOf } from "../home/client-access.ts";
import { asOwner, placeOf } from "../home/database.ts";

/** `rungs doctor`: whether everything is as it should be, and what to do where it is not. */
export const doctor: Command = {
  options: {
    "token-file": { type: "string", value: "FILE", about: "a token to look up (env RUNGS_TOKEN)" },
  },
  async run(call) {
    const findings = await examine(call);
    const isWell = findings.every(({ ok }) => ok);
    if (call.flag("json")) call.io.out(JSON.stringify({ ok: isWell, findings }));
    else call.io.out(renderFindings(findings));
    return isWell ? Exit.done : Exit.failed;
  },
};

async function examine(call: CommandCall): Promise<Finding[]> {
  const place = placeOf(call);
  if (place.kind === "sqlite" && !existsSync(place.file)) {
    const next = "Run rungs import, or rungs demo to try it, or correct --home or --database";
    return [wrong("database", `there is none at ${place.file}`, next)];
  }
  const token = tokenOf(call);
  try {
    const outside = [...checkAccess(place), ...checkFile(place)];
    const inside = await asOwner(call, async (parts) => [
      fine("database", `${place.kind} opens`),
      ...(await checkStore(parts)),
      ...(await checkAuthority(parts, token)),
    ]);
    return [...outside, ...inside];
  } catch (error) {
    return [wrong("database", explainFailure(error).sentence, "Run rungs doctor again when that is done")];
  }
}

function renderFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ ok, name, message, next }) => [
    ok ? "ok" : "wrong",
    name,
    next === undefined ? message : `${message}. ${next}.`,
  ]);
  return renderTable(["STATE", "WHAT", "FOUND"], rows);
}
