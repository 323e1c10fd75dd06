/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** How it is. */
  readonly message: string;
  /** What to do about it. */
  readonly next?: string;
}

/** Says that something is as it should be. */
export function fine(name: string, message: string): Finding {
  return { name, ok: true, message };
}

/** Says what is wrong, and what to do. */
export function wrong(name: string, message: string, next: string): Finding {
  return { name, ok: false, message, next };
}
