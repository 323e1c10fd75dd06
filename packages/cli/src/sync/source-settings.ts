import { resolve } from "node:path";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { readConnectorSettings } from "./connector-address.ts";
import { readOAuthSettings } from "./oauth.ts";
import { readCommonSettings, readUser } from "./source-options.ts";

type ReadSettings = (address: string, call: CommandCall) => Record<string, unknown>;

/** How the address of each kind of source is written on the command line. */
const readers: Readonly<Record<string, ReadSettings>> = {
  imap: readImapSettings,
  caldav: readDavSettings,
  carddav: readDavSettings,
  folder: (path, { options, flag }) => {
    const without = options("without-folder");
    return {
      path: resolve(path),
      ...(without.length === 0 ? {} : { without_folders: without }),
      ...(flag("documents-only") ? { documents_only: true } : {}),
    };
  },
  connector: readConnectorSettings,
};

/** Reads the settings of a source from the command line. */
export function readSourceSettings(
  kind: string,
  address: string,
  call: CommandCall,
): Record<string, unknown> {
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  if (read) return read(address, call);
  throw new UsageError(`rungs sync add takes ${Object.keys(readers).join(", ")}, not ${kind}.`);
}

/** `imaps://host` is TLS, `imap://host` STARTTLS; `imap+plain://` uses neither, and reaches this machine only. */
const SECURITY: Readonly<Record<string, string>> = {
  "imaps:": "tls",
  "imap:": "starttls",
  "imap+plain:": "none",
};

/** Reads the settings of a mailbox from the command line: `imaps://ada@imap.example.org`. */
function readImapSettings(address: string, call: CommandCall): Record<string, unknown> {
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

function readDavSettings(address: string, call: CommandCall): Record<string, unknown> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${address} is not the address of a server, such as https://dav.example.org/.`);
  const user = readUser(url, call);
  url.username = "";
  const hosts = call.options("host");
  return { url: url.href, user, ...readCommonSettings(call), ...(hosts.length === 0 ? {} : { hosts }) };
}
