import { type Address, decodeWords, type Email } from "postal-mime";
import { parseMailDate } from "./mail-date.ts";

/** All values of a header field, in the order of the message. */
export function findHeaders({ headers }: Email, name: string): string[] {
  return headers.flatMap(({ key, value }) => (key === name && value !== "" ? [value] : []));
}

/** A date and its source. */
export interface MailDate {
  readonly date: string;
  readonly date_source: "date" | "received" | "mailbox";
}

/** When a message was sent: by Date, else by the Received field nearest to the sender, else by the mailbox's From line. */
export function findDate(mail: Email, separator = ""): MailDate | undefined {
  const received = findHeaders(mail, "received").toReversed();
  const sources = [
    ["date", findHeaders(mail, "date")],
    ["received", received.map((value) => value.slice(value.lastIndexOf(";") + 1))],
    ["mailbox", [separator.replace(/^From \S+\s+/, "")]],
  ] as const;
  for (const [date_source, values] of sources) {
    const date = values.map(parseMailDate).find((time) => time !== undefined);
    if (date !== undefined) return { date, date_source };
  }
  return undefined;
}

/** Addresses as people write them; a group becomes its members. */
export function renderAddresses(addresses: readonly Address[] = []): string[] {
  return addresses
    .flatMap((each) => each.group ?? [each])
    .flatMap(({ name, address }) => renderAddress(name, address) ?? []);
}

function renderAddress(name: string, address: string): string | undefined {
  if (name === "" || name === address) return address === "" ? undefined : address;
  return address === "" ? name : `${name} <${address}>`;
}

/** `ada at example.org (Ada Lovelace)`, as archives of mailing lists veil an address. */
const VEILED = /^\s*(\S+) at ([\w.-]+\.\w+)\s*(?:\((.*)\))?\s*$/s;

/** The expression is not linear. */
const VEILED_MAX_CHARS = 1024;

/** The sender of a message in the archive of a mailing list; undefined for other messages. */
export function findVeiledSender(mail: Email): { from: string; from_address: string } | undefined {
  const value = findHeaders(mail, "from")[0] ?? "";
  if (value.length > VEILED_MAX_CHARS) return undefined;
  const [, user, host, name = ""] = VEILED.exec(value) ?? [];
  if (user === undefined || host === undefined) return undefined;
  const from_address = `${user}@${host}`;
  return { from: renderAddress(decodeWords(name).trim(), from_address) ?? from_address, from_address };
}

/** The message ids in a header field, without their brackets. */
export function parseMessageIds(value: string | undefined): string[] {
  const ids = value?.match(/<[^<>\s]+>/g)?.map((id) => id.slice(1, -1));
  return ids ?? value?.split(/\s+/).filter((id) => id !== "") ?? [];
}

/** The labels that Gmail exports: separated by commas, quoted if they contain commas. */
export function parseGmailLabels(mail: Email): string[] {
  const labels = findHeaders(mail, "x-gmail-labels").flatMap((value) =>
    [...decodeWords(value).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/g)].map(([whole, quoted]) =>
      (quoted ?? whole).trim(),
    ),
  );
  return [...new Set(labels)].filter((label) => label !== "");
}

const MOZILLA_EXPUNGED = 0x0008;

/** Whether Thunderbird deleted the message, which stays in the file until the folder is compacted. */
export function isExpunged(mail: Email): boolean {
  const status = findHeaders(mail, "x-mozilla-status")[0] ?? "0";
  return (Number.parseInt(status, 16) & MOZILLA_EXPUNGED) !== 0;
}
