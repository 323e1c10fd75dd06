import type { SourceTask } from "../live-source.ts";
import type { MailFolder } from "./folders.ts";
import type { ImapSession } from "./session.ts";

/** One folder of a run. */
export interface FolderRead {
  readonly session: ImapSession;
  readonly task: SourceTask;
  readonly folder: MailFolder;
}

/** The item of a message: its UID, so that items sort like numbers. */
export function toItem(uid: number): string {
  return String(uid).padStart(10, "0");
}
