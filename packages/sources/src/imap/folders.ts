/** The folders of a mailbox that are read. */
import { ApiError } from "@rungs/contract";
import type { SourceTask } from "../live-source.ts";
import { imapLimits as limits } from "./limits.ts";
import type { ImapSession } from "./session.ts";
import { requireImapSettings } from "./settings.ts";

/** A folder as the server has it now. */
export interface MailFolder {
  readonly path: string;
  /** Names the folder and its UIDVALIDITY: another value means that its messages have new numbers. */
  readonly collection: string;
  readonly uid_next: number;
  readonly message_count: number;
  /** Undefined where the server does not count changes. */
  readonly modseq: string | undefined;
}

/** The chosen folders, and those that exist but could not be described. */
export interface FolderList {
  readonly folders: readonly MailFolder[];
  readonly unreadable: readonly string[];
  readonly is_gmail: boolean;
}

const STATUS = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };

/** Gmail shows every message in `All Mail`, except spam and trash; other folders repeat them. */
const GMAIL_FOLDERS = new Set(["\\All", "\\Junk", "\\Trash"]);

/** Lists the folders to read. */
export async function listFolders({ client, bound }: ImapSession, task: SourceTask): Promise<FolderList> {
  const { folders: only, without_folders: without = [] } = requireImapSettings(task.settings);
  const is_gmail = client.capabilities.has("X-GM-EXT-1");
  const listed = await bound(limits.list_bytes, () => client.list({ statusQuery: STATUS }));
  if (listed.length === 0 || listed.length > limits.folders)
    throw new ApiError("source_broken", {
      message:
        listed.length === 0
          ? "The server lists no folder, not even the inbox."
          : `The mailbox has more than ${limits.folders} folders.`,
      next: "Check that this is the right mailbox; nothing was deleted here.",
    });
  const chosen = listed.filter(
    ({ path, flags, specialUse = "" }) =>
      !flags.has("\\Noselect") &&
      !(is_gmail && !GMAIL_FOLDERS.has(specialUse) && listed.some((each) => each.specialUse === "\\All")) &&
      (only === undefined || only.includes(path)) &&
      !without.includes(path),
  );
  const folders: MailFolder[] = [];
  const unreadable: string[] = [];
  for (const { path, delimiter, status } of chosen) {
    const { uidValidity, uidNext, messages = 0, highestModseq } = status ?? {};
    if (uidValidity === undefined || uidNext === undefined) unreadable.push(path);
    else
      folders.push({
        path,
        collection: nameCollection(delimiter, uidValidity, path),
        uid_next: uidNext,
        message_count: messages,
        modseq: highestModseq ? String(highestModseq) : undefined,
      });
  }
  return { folders, unreadable, is_gmail };
}

function nameCollection(delimiter: string | undefined, validity: bigint, path: string): string {
  return `${delimiter || " "}${validity}~${path}`;
}

/** The path of a folder, from the name of its collection. */
export function parsePath(collection: string): string {
  return collection.slice(collection.indexOf("~") + 1);
}

/** The folder as a label, its levels separated by `/` as exports have them. */
export function toLabel(collection: string): string {
  const [delimiter = "/"] = collection;
  const path = parsePath(collection);
  return delimiter === " " ? path : path.replaceAll(delimiter, "/");
}
