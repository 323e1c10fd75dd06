/** The options that say which source to read, and which of its parts. */
import { readFileSync } from "node:fs";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";

export const sourceOptions: Readonly<Record<string, CommandOption>> = {
  user: { type: "string", value: "NAME", about: "the user name, usually the mail address" },
  oauth: {
    type: "string",
    value: "PROVIDER",
    about: "sign in to a mailbox without a password: google, microsoft, or custom with --token-url",
  },
  "client-id": {
    type: "string",
    value: "ID",
    about: "your OAuth client, which you registered with the provider",
  },
  "token-url": { type: "string", value: "URL", about: "the provider's address for tokens" },
  "authorize-url": { type: "string", value: "URL", about: "the provider's address for signing in" },
  "device-url": { type: "string", value: "URL", about: "the provider's address for signing in with a code" },
  scope: { type: "string", value: "SCOPE", about: "the scope to request from the provider" },
  ca: { type: "string", value: "FILE", about: "the certificate of a server's own authority, in PEM" },
  host: {
    type: "string",
    value: "NAME",
    multiple: true,
    about: "another host that the server may redirect to, for calendars and contacts",
  },
  folder: {
    type: "string",
    value: "NAME",
    multiple: true,
    about: "a mail folder, calendar, address book or stream to read; all by default",
  },
  "without-folder": {
    type: "string",
    value: "NAME",
    multiple: true,
    about: "a folder, calendar, address book or stream to leave out",
  },
  "documents-only": {
    type: "boolean",
    about: "leave mbox files, archives and other exports in a watched folder alone",
  },
  program: {
    type: "string",
    value: "WORD",
    multiple: true,
    about: "the program of a connector, then each of its arguments",
  },
  variable: {
    type: "string",
    value: "NAME=VALUE",
    multiple: true,
    about: "a variable for the environment of a connector, which inherits none",
  },
  "secret-variable": {
    type: "string",
    value: "NAME",
    multiple: true,
    about: "a variable that holds the password of a connector; its manifest may name it",
  },
};

/** The settings that sources on other machines share. */
export function readCommonSettings({ option, options }: CommandCall): Record<string, unknown> {
  const ca = option("ca");
  const [folders, without] = [options("folder"), options("without-folder")];
  return {
    ...(ca === undefined ? {} : { ca: readCertificate(ca) }),
    ...(folders.length === 0 ? {} : { folders }),
    ...(without.length === 0 ? {} : { without_folders: without }),
  };
}

/** The user name, from the option or the address. */
export function readUser({ username, password }: URL, { option }: CommandCall): string {
  if (password !== "") throw new UsageError("A password in the address is visible to others: leave it out.");
  const user = option("user") ?? decodeURIComponent(username);
  if (user === "") throw new UsageError("Give the user name with --user, usually the mail address.");
  return user;
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as { code?: string }).code}).`);
  }
}
