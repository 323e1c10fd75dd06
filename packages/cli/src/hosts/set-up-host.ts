import { readFileSync } from "node:fs";
import type { CommandCall } from "../command/command.ts";
import { confirmChange } from "../command/confirm.ts";
import { Exit } from "../command/exit.ts";
import { HERE } from "../home/local-server.ts";
import { findRunning } from "../home/running-server.ts";
import { readGivenToken, requireServerUrl } from "../login/client-access.ts";
import { applyHostChange, type HostChange, planHostChange } from "./install-host.ts";
import { type HostTarget, requireHost } from "./list-hosts.ts";

/** `rungs connect --print HOST`: what a host needs to reach the server. */
export function printHost(call: CommandCall, name: string): number {
  const { host, where, text, sign_in } = requireHost(resolveTarget(call), name);
  const signIn = sign_in === undefined ? [] : [`Then sign in: ${sign_in}`];
  call.io.out(
    call.flag("json")
      ? JSON.stringify({ host, where, text, sign_in })
      : [`${host} (${where}):`, text, ...signIn].join("\n"),
  );
  return Exit.done;
}

/** `rungs connect --install HOST`: shows the change, asks, and makes it. */
export async function installHost(call: CommandCall, name: string): Promise<number> {
  const target = resolveTarget(call);
  const host = requireHost(target, name);
  const change = planHostChange(host, target, call.io.env);
  call.io.err(describeChange(change));
  if (!(await confirmChange(call))) return Exit.failed;
  applyHostChange(change);
  call.io.out(
    call.flag("json")
      ? JSON.stringify({ host: host.host, ...(change.kind === "file" ? { file: change.file } : {}) })
      : `${host.host} is set up for ${target.url}. ${host.sign_in === undefined ? "Start it again to see the tools." : `Then sign in: ${host.sign_in}`}`,
  );
  return Exit.done;
}

/** The named server, else the one that runs on this machine; with the given token, else that of the running demo. */
function resolveTarget(call: CommandCall): HostTarget {
  const running = findRunning(call);
  const url = requireServerUrl(call.operands[0] ?? running?.url ?? HERE, call).replace(/\/mcp$/, "");
  const given = readGivenToken(call);
  if (given !== undefined) return { url, token: given, token_file: call.option("token-file") };
  if (running?.token_file === undefined || running.url !== url) return { url };
  const { token_file } = running;
  return { url, token: readFileSync(token_file, "utf8").trim(), token_file };
}

function describeChange(change: HostChange): string {
  if (change.kind === "program") return `Runs: ${[change.command, ...change.args].join(" ")}`;
  return `Writes ${change.file}:\n${change.text}`;
}
