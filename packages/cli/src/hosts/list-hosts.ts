import { fileURLToPath } from "node:url";
import { describeHosts, describeStdioHosts, type HostSetup } from "@rungs/client";
import { UsageError } from "../command/exit.ts";

/** The server that a host is to reach, and a token for it; without one the host signs in by OAuth. */
export interface HostTarget {
  readonly url: string;
  readonly token?: string | undefined;
  /** The file of the token, for a host that starts `rungs mcp`. */
  readonly token_file?: string | undefined;
}

/** A host with the name that command lines use for it, such as `claude-code`. */
export interface NamedHost extends HostSetup {
  readonly name: string;
}

/** Lists the hosts and how each reaches a server. */
export function listHosts(target: HostTarget): NamedHost[] {
  const [first, ...rest] = describeHosts(target.url, target.token);
  return [first, describeDesktop(target), ...rest].flatMap((setup) =>
    setup === undefined ? [] : [{ ...setup, name: setup.host.toLowerCase().replaceAll(" ", "-") }],
  );
}

/** Finds a host by its name. */
export function requireHost(target: HostTarget, name: string): NamedHost {
  const hosts = listHosts(target);
  const host = hosts.find((each) => each.name === name.toLowerCase());
  if (host) return host;
  throw new UsageError(`There is no host ${name}; there are ${hosts.map((each) => each.name).join(", ")}.`);
}

/** Claude Desktop starts programs and takes no address: `rungs mcp` reaches the server for it. */
function describeDesktop({ url, token, token_file }: HostTarget): HostSetup | undefined {
  const bin = fileURLToPath(new URL("../../bin/rungs.js", import.meta.url));
  const file = token_file === undefined ? [] : ["--token-file", token_file];
  const env = token === undefined || token_file !== undefined ? {} : { RUNGS_TOKEN: token };
  const program = { command: process.execPath, args: [bin, "mcp", "--url", url, ...file], env };
  return describeStdioHosts(program).find(({ host }) => host === "Claude Desktop");
}
