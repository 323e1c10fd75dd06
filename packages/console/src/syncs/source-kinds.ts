/** The kinds of source that the console adds: the form, its parser and its refusals read this one table. */
import type { SourceSettings, SyncRequest } from "@rungs/sources";
import type { Option } from "../ui/options.ts";

/** The input type of a field; `address` is text that may contain a password, and `lines` holds several values. */
type FieldType = "text" | "address" | "number" | "lines" | "check" | "password" | "choice";

/** One field of a form. */
export interface SourceField {
  /** The setting or parameter that it gives, and that a refusal names. */
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly is_required?: boolean;
  readonly example?: string;
  readonly options?: readonly Option[];
}

/** One kind of source, as the owner adds it. */
export interface SourceKind {
  readonly kind: string;
  /** Its label, in the list of kinds and on the button. */
  readonly name: string;
  readonly about: string;
  /** The required and the optional fields. */
  readonly fields: readonly SourceField[];
  readonly more: readonly SourceField[];
}

const USER: SourceField = { name: "user", label: "User name", type: "text", is_required: true };
const PASSWORD: SourceField = {
  name: "password",
  label: "Password, or app password",
  type: "password",
  is_required: true,
};
const DAV_ADDRESS: SourceField = {
  name: "url",
  label: "Address of the server",
  type: "address",
  is_required: true,
  example: "https://dav.example.org/",
};
const OTHER_HOSTS: SourceField = {
  name: "hosts",
  label: "Other hosts that the server may send to, one on each line",
  type: "lines",
};

/** The fields of every sync besides its settings. */
const SYNC_FIELDS: readonly SourceField[] = [
  { name: "schedule", label: "Minutes between two reads", type: "number", example: "15" },
  { name: "keeps_deleted", label: "Keep records that are deleted at the source", type: "check" },
  { name: "sync_id", label: "Name of the sync", type: "text" },
];

/** The kinds, the most usual first. */
export const sourceKinds: readonly SourceKind[] = [
  {
    kind: "imap",
    name: "Mailbox",
    about: "Mail over IMAP. Folders become labels.",
    fields: [
      {
        name: "host",
        label: "Mail server (IMAP)",
        type: "address",
        is_required: true,
        example: "imap.example.org",
      },
      USER,
      PASSWORD,
    ],
    more: [
      {
        name: "security",
        label: "Encryption",
        type: "choice",
        options: [
          ["tls", "TLS"],
          ["starttls", "STARTTLS"],
          ["none", "None (only a server on this machine)"],
        ],
      },
      { name: "port", label: "Port", type: "number", example: "993" },
      ...chooseParts("folders"),
    ],
  },
  {
    kind: "caldav",
    name: "Calendars",
    about: "Events, tasks and journals over CalDAV. The calendars of the account are found from the address.",
    fields: [DAV_ADDRESS, USER, PASSWORD],
    more: [...chooseParts("calendars"), OTHER_HOSTS],
  },
  {
    kind: "carddav",
    name: "Contacts",
    about: "Cards over CardDAV. The address books of the account are found from the address.",
    fields: [DAV_ADDRESS, USER, PASSWORD],
    more: [...chooseParts("address books"), OTHER_HOSTS],
  },
  {
    kind: "folder",
    name: "Folder",
    about:
      "Documents, notes and exports in a folder on the disk of the server. It is read again when something in it changes.",
    fields: [
      {
        name: "path",
        label: "Path of the folder on the server",
        type: "text",
        is_required: true,
        example: "/home/me/Notes",
      },
    ],
    more: [
      {
        name: "documents_only",
        label: "Leave mbox files, archives and other exports alone",
        type: "check",
      },
      { name: "without_folders", label: "Folders inside to leave out, one on each line", type: "lines" },
    ],
  },
];

/** The optional fields of a kind, those of every sync among them. */
export function listMoreFields({ more }: SourceKind): readonly SourceField[] {
  return [...more, ...SYNC_FIELDS];
}

/** The kind that a form or a link names; the first one otherwise. */
export function findSourceKind(name: string | null | undefined): SourceKind {
  const [first] = sourceKinds;
  const found = sourceKinds.find(({ kind }) => kind === name) ?? first;
  if (!found) throw new TypeError("There is no kind of source.");
  return found;
}

/** Reads a form: omits empty fields, and leaves validation to the source. */
export function readSourceForm(source: SourceKind, form: URLSearchParams): SyncRequest {
  const { password, ...settings } = readFields([...source.fields, ...source.more], form);
  const { schedule, keeps_deleted, sync_id } = readFields(SYNC_FIELDS, form);
  return {
    kind: source.kind,
    settings,
    secret: source.fields.includes(PASSWORD) ? String(password ?? "") : undefined,
    sync_id: sync_id === undefined ? undefined : String(sync_id),
    schedule: schedule === undefined ? undefined : { kind: "every", minutes: Number(schedule) },
    keeps_deleted: keeps_deleted === true,
  };
}

/** The values to redisplay after a refusal: what was typed, without passwords. */
export function listTyped(source: SourceKind, form: URLSearchParams): ReadonlyMap<string, string> {
  const typed = new Map<string, string>();
  for (const { name, type } of [...source.fields, ...listMoreFields(source)]) {
    const text = form.get(name) ?? "";
    if (type === "password" || text === "") continue;
    typed.set(name, type === "address" ? withoutPassword(text) : text);
  }
  return typed;
}

/** Strips a password from an address. */
function withoutPassword(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && url.host !== "" && url.username === "" && url.password === "") return address;
  return address.replace(/^([^/]*\/\/)?.*@/, "$1");
}

type ReadText = (text: string) => unknown;

const readText: Readonly<Record<FieldType, ReadText>> = {
  text: (text) => text.trim(),
  address: (text) => text.trim(),
  choice: (text) => text,
  password: (text) => text,
  number: Number,
  check: () => true,
  lines: (text) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
};

function readFields(fields: readonly SourceField[], form: URLSearchParams): SourceSettings {
  const given = fields.flatMap(({ name, type }) => {
    const text = form.get(name) ?? "";
    return text.trim() === "" ? [] : [[name, readText[type](text)] as const];
  });
  return Object.fromEntries(given);
}

function chooseParts(parts: string): readonly SourceField[] {
  return [
    { name: "folders", label: `The only ${parts} to read, one on each line; all if empty`, type: "lines" },
    { name: "without_folders", label: `The ${parts} to leave out, one on each line`, type: "lines" },
  ];
}
