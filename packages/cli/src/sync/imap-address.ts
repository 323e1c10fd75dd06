import { readFileSync } from "node:fs";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";

/** The options of a mailbox. */
export const imapOptions: Readonly<Record<string, CommandOption>> = {
  user: { type: "string", value: "NAME", about: "the user name, mostly the mail address" },
  ca: { type: "string", value: "FILE", about: "the certificate of a server's own authority, in PEM" },
  folder: { type: "string", value: "PATH", multiple: true, about: "a folder to read; all by default" },
  "without-folder": { type: "string", value: "PATH", multiple: true, about: "a folder to leave out" },
};

/** `imaps://host` is TLS, `imap://host` STARTTLS; only this machine may be reached without, by `imap+plain://`. */
const SECURITY: Readonly<Record<string, string>> = {
  "imaps:": "tls",
  "imap:": "starttls",
  "imap+plain:": "none",
};

/** Reads the settings of a mailbox from the command line: `imaps://ada@imap.example.org`. */
export function readImapSettings(address: string, { option, options }: CommandCall): Record<string, unknown> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const security = SECURITY[url?.protocol ?? ""];
  if (!url || security === undefined || url.hostname === "")
    throw new UsageError(`${address} is not the address of a mail server, such as imaps://imap.example.org.`);
  if (url.password !== "")
    throw new UsageError("A password in the address is visible to others: leave it out.");
  const user = option("user") ?? decodeURIComponent(url.username);
  if (user === "") throw new UsageError("Give the user name with --user, mostly the mail address.");
  const ca = option("ca");
  const [folders, without] = [options("folder"), options("without-folder")];
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    user,
    security,
    ...(ca === undefined ? {} : { ca: readCertificate(ca) }),
    ...(folders.length === 0 ? {} : { folders }),
    ...(without.length === 0 ? {} : { without_folders: without }),
  };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as { code?: string }).code}).`);
  }
}
