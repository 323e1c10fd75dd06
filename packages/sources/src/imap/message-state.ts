/** The mutable state of a message: flags, and Gmail's labels. */
import type { SourceCopy } from "../live-source.ts";
import { toLabel } from "./folders.ts";

/** The state of one copy of a message. */
export interface MessageState {
  readonly flags: readonly string[];
  /** Only Gmail has them; elsewhere the folder is the label. */
  readonly labels?: readonly string[] | undefined;
}

/** The flags of IMAP, in the words of the mail importer. */
const FLAGS: Readonly<Record<string, string>> = {
  "\\seen": "seen",
  "\\answered": "replied",
  $forwarded: "forwarded",
  "\\flagged": "flagged",
  "\\draft": "draft",
  "\\deleted": "deleted",
};

/** Gmail's own labels as its exports write them. */
const GMAIL_LABELS: Readonly<Record<string, string>> = {
  "\\Inbox": "Inbox",
  "\\Important": "Important",
  "\\Sent": "Sent",
  "\\Starred": "Starred",
  "\\Draft": "Drafts",
  "\\Drafts": "Drafts",
};

const KEPT_LABELS = 200;

/** The state of a message as the server describes it. */
export function describeMessageState(
  flags: ReadonlySet<string> | undefined,
  labels: ReadonlySet<string> | undefined,
): MessageState {
  const known = [...(flags ?? [])].flatMap((flag) => FLAGS[flag.toLowerCase()] ?? []);
  const state = { flags: [...new Set(known)].sort() };
  if (labels === undefined) return state;
  return {
    ...state,
    labels: [...labels]
      .slice(0, KEPT_LABELS)
      .map((each) => GMAIL_LABELS[each] ?? decodeLabel(each))
      .sort(),
  };
}

/** Gmail writes labels as IMAP writes the names of folders: in modified UTF-7 (RFC 3501 §5.1.3). */
function decodeLabel(label: string): string {
  return label.replaceAll(/&([A-Za-z0-9+,]*)-/g, (whole, packed: string) => {
    if (packed === "") return "&";
    const bytes = Buffer.from(packed.replaceAll(",", "/"), "base64");
    const units = bytes.subarray(0, bytes.length & ~1).swap16();
    return units.toString("utf16le").toWellFormed() || whole;
  });
}

/** A message with the labels and flags of all its copies. It is deleted only when every copy is. */
export function combineCopies(
  data: Readonly<Record<string, unknown>>,
  copies: readonly SourceCopy[],
): Readonly<Record<string, unknown>> {
  // Only `describeMessageState` makes them.
  const states = copies.map(({ collection, state }) => ({ collection, ...(state as MessageState) }));
  const labels = states.flatMap((each) => each.labels ?? [toLabel(each.collection)]);
  const flags = states.flatMap((each) => each.flags);
  const isDeleted = states.every((each) => each.flags.includes("deleted"));
  const kept = [...new Set(flags)].filter((flag) => flag !== "deleted" || isDeleted).sort();
  const { labels: _labels, flags: _flags, ...rest } = data;
  const lists = { labels: [...new Set(labels)].sort(), flags: kept };
  return { ...rest, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) };
}
