import { readFileSync } from "node:fs";
import type { CommandCall, CommandOption } from "./command.ts";
import { UsageError } from "./exit.ts";

/** What to do about a missing token. */
export const CREATE_GRANT = "Run rungs grant create and put its token into RUNGS_TOKEN or --token-file.";

/** The options of a command that reads under a client's token. */
export const clientOptions: Readonly<Record<string, CommandOption>> = {
  url: { type: "string", value: "URL", about: "the server (env RUNGS_URL); the database here when left out" },
  "token-file": { type: "string", value: "FILE", about: "holds the token of a grant (env RUNGS_TOKEN)" },
};

/** The server that a command line names, without a slash at its end. */
export function serverUrlOf({ option, io: { env } }: CommandCall): string | undefined {
  const url = option("url") ?? env.RUNGS_URL;
  if (url === undefined || url === "") return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageError(`--url takes an http or https address, not ${url}.`);
  }
  return url.replace(/\/+$/, "");
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
