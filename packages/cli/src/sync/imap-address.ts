import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { readOAuthSettings } from "./oauth.ts";
import { readCommonSettings, readUser } from "./source-options.ts";

/** `imaps://host` is TLS, `imap://host` STARTTLS; only this machine may be reached without, by `imap+plain://`. */
const SECURITY: Readonly<Record<string, string>> = {
  "imaps:": "tls",
  "imap:": "starttls",
  "imap+plain:": "none",
};

/** Reads the settings of a mailbox from the command line: `imaps://ada@imap.example.org`. */
export function readImapSettings(address: string, call: CommandCall): Record<string, unknown> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const security = SECURITY[url?.protocol ?? ""];
  if (!url || security === undefined || url.hostname === "")
    throw new UsageError(`${address} is not the address of a mail server, such as imaps://imap.example.org.`);
  const user = readUser(url, call);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    user,
    security,
    ...readOAuthSettings(call),
    ...readCommonSettings(call),
  };
}
