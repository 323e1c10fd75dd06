/** What any kind of client has to be able to do, whichever half of an answer it sees. */
import type { Continuation } from "@rungs/evidence";

/** A way on: a call to make, or a resource to read. */
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

/** A record that a client has read: all that it saw of it, and the ways on. */
export interface Fetched {
  readonly id: string;
  readonly seen: string;
  readonly steps: readonly Step[];
}

/** A kind of client. It throws `Refused` for an error that it was shown. */
export interface Climber {
  search(query: string): Promise<Found[]>;
  read(step: Step): Promise<Window>;
  /** By an id that it was shown, or by a way on. */
  fetch(record: string | Step): Promise<Fetched>;
  blob(step: Step): Promise<{ text: string | undefined; next: Step | undefined }>;
}

/** What a climber makes of an error. */
export class Refused extends Error {
  readonly code: string;
  readonly tries: readonly Step[];

  constructor(text: string, tries: readonly Step[]) {
    super(text);
    this.code = text.slice(0, text.indexOf(":"));
    this.tries = tries;
  }
}
