import { readFileSync } from "node:fs";
import type { Login } from "@rungs/client";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { resolveHome } from "../home/home.ts";
import { findRunning } from "../home/running-server.ts";
import { createFreshToken } from "./fresh-token.ts";
import { findLogin, listLogins } from "./logins.ts";

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The server to read from, or undefined for the local database, and the token to read with. */
export interface ClientAccess {
  readonly base_url: string | undefined;
  /** A token that is valid now. */
  readonly token: () => Promise<string>;
}

/** Allows sending a token unencrypted to another machine. */
export const plainHttpOption: CommandOption = {
  type: "boolean",
  about: "allow http:// to another machine: everyone in between can read the token and the data",
};

/** The options of a command that reads under a client token. */
export const clientOptions: Readonly<Record<string, CommandOption>> = {
  url: {
    type: "string",
    value: "URL",
    about:
      "the server (env RUNGS_URL); the connected one, the local database, or the running demo by default",
  },
  "token-file": { type: "string", value: "FILE", about: "holds the token of a grant (env RUNGS_TOKEN)" },
  "plain-http": plainHttpOption,
};

/**
 * Finds the access that the command line, the environment or `rungs connect` provides; undefined without a token. If
 * neither a server nor a token is named, picks the only connected server, else the demo that runs on this machine.
 */
export function findAccess(call: CommandCall): ClientAccess | undefined {
  const token = readGivenToken(call);
  const base_url = readServerUrl(call);
  if (token !== undefined) return { base_url, token: async () => token };
  const home = resolveHome(call);
  const login = base_url === undefined ? findOnlyLogin(home) : findLogin(home, base_url);
  if (login) return { base_url: login.url, token: createFreshToken(home, login.url) };
  return findDemoAccess(call, base_url);
}

/** The running demo: anybody who can read its files may use it. */
function findDemoAccess(call: CommandCall, base_url: string | undefined): ClientAccess | undefined {
  const { url, token_file } = findRunning(call) ?? {};
  if (url === undefined || token_file === undefined || (base_url ?? url) !== url) return undefined;
  call.io.err(`rungs: No token is given: this is the sample data of the demo at ${url}.`);
  return { base_url: url, token: async () => readToken(token_file).trim() };
}

/** Requires an http or https URL; removes trailing slashes. Plain http is for this machine, unless it is allowed. */
export function requireServerUrl(url: string, { flag }: Pick<CommandCall, "flag">): string {
  const { protocol = "", hostname = "" } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol))
    throw new UsageError(`The server is an http or https address, not ${url}.`);
  if (protocol === "http:" && !LOCAL.test(hostname) && !flag("plain-http")) {
    throw new UsageError(
      `${url} is another machine, and http would send the token unencrypted: use https, or add --plain-http if the way there is protected.`,
    );
  }
  return url.replace(/\/+$/, "");
}

function findOnlyLogin(home: string): Login | undefined {
  const [only, ...others] = listLogins(home);
  if (!only || others.length === 0) return only;
  const urls = [only, ...others].map(({ url }) => url).join(", ");
  throw new UsageError(`Several servers are connected (${urls}): name one with --url.`);
}

function readServerUrl(call: CommandCall): string | undefined {
  const url = call.option("url") ?? call.io.env.RUNGS_URL;
  return url === undefined || url === "" ? undefined : requireServerUrl(url, call);
}

/** Reads the token from `--token-file` or `RUNGS_TOKEN`. */
export function readGivenToken({ option, io: { env } }: CommandCall): string | undefined {
  const file = option("token-file");
  const token = file === undefined ? env.RUNGS_TOKEN : readToken(file);
  return token?.trim() || undefined;
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
}
