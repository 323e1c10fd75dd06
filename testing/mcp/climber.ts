/** What every kind of client can do, whichever half of an answer it sees. */
import type { Continuation } from "@rungs/evidence";

/** A continuation: a call to make, or a resource to read. */
export type Step = Continuation | { readonly uri: string };

/** A hit that a client can decide about. */
export interface Found {
  readonly id: string;
  readonly evidence: string;
  readonly open: Step;
}

/** A window that a client has read. */
export interface Window {
  readonly id: string;
  readonly text: string;
  readonly start_chars: number;
  readonly end_chars: number;
  readonly complete: boolean;
  readonly next: Step | undefined;
  readonly previous: Step | undefined;
}

/** A record that a client has read: the text it saw, and the continuations. */
export interface Fetched {
  readonly id: string;
  readonly seen: string;
  readonly steps: readonly Step[];
}

/** A kind of client. Throws `Refused` for an error answer. */
export interface Climber {
  search(query: string): Promise<Found[]>;
  read(step: Step): Promise<Window>;
  /** By an id from an answer, or by a continuation. */
  fetch(record: string | Step): Promise<Fetched>;
  blob(step: Step): Promise<{ text: string | undefined; next: Step | undefined }>;
}

/** An error as a climber sees it. */
export class Refused extends Error {
  readonly code: string;
  readonly tries: readonly Step[];

  constructor(text: string, tries: readonly Step[]) {
    super(text);
    this.code = text.slice(0, text.indexOf(":"));
    this.tries = tries;
  }
}
