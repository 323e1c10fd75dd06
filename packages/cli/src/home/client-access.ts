import { readFileSync } from "node:fs";
import type { Login } from "@rungs/client";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { createFreshToken } from "../login/fresh-token.ts";
import { findLogin, listLogins } from "../login/logins.ts";
import { homeOf } from "./home.ts";

/** What to do about a missing token. */
export const GET_TOKEN =
  "Run rungs connect URL, or rungs grant create and put its token into RUNGS_TOKEN or --token-file.";

/** The server to read from, which is the database here when there is none, and the token to read with. */
export interface ClientAccess {
  readonly base_url: string | undefined;
  /** The one that is valid now. */
  readonly token: () => Promise<string>;
}

/** The options of a command that reads under a client's token. */
export const clientOptions: Readonly<Record<string, CommandOption>> = {
  url: {
    type: "string",
    value: "URL",
    about: "the server (env RUNGS_URL); the connected one, or the database here, when left out",
  },
  "token-file": { type: "string", value: "FILE", about: "holds the token of a grant (env RUNGS_TOKEN)" },
};

/**
 * What a command line, its environment or `rungs connect` gives to read with; undefined when there is no token. Who names
 * neither a server nor a token reads from the one that was connected to.
 */
export function findAccess(call: CommandCall): ClientAccess | undefined {
  const token = tokenOf(call);
  const base_url = serverUrlOf(call);
  if (token !== undefined) return { base_url, token: async () => token };
  const home = homeOf(call);
  const login = base_url === undefined ? findOnlyLogin(home) : findLogin(home, base_url);
  return login && { base_url: login.url, token: createFreshToken(home, login.url) };
}

/** An http or https address, without a slash at its end. */
export function requireServerUrl(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url.replace(/\/+$/, "");
  throw new UsageError(`The server is an http or https address, not ${url}.`);
}

function findOnlyLogin(home: string): Login | undefined {
  const [only, ...others] = listLogins(home);
  if (!only || others.length === 0) return only;
  const urls = [only, ...others].map(({ url }) => url).join(", ");
  throw new UsageError(`Several servers are connected (${urls}): name one with --url.`);
}

function serverUrlOf({ option, io: { env } }: CommandCall): string | undefined {
  const url = option("url") ?? env.RUNGS_URL;
  return url === undefined || url === "" ? undefined : requireServerUrl(url);
}

/** The token that a command line or its environment gives. */
export function tokenOf({ option, io: { env } }: CommandCall): string | undefined {
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
