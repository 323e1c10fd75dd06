/** Maildir (https://cr.yp.to/proto/maildir.html): one file a message, in `cur` and `new`, with its flags in its name. */

/** What the path of a file in a Maildir says about the message. */
export interface MaildirPlace {
  /** Whether it is still being delivered and may be incomplete. */
  readonly in_delivery: boolean;
  readonly folder: string | undefined;
  /** Such as `seen` and `replied`. */
  readonly flags: readonly string[];
}

const FLAGS: Readonly<Record<string, string>> = {
  S: "seen",
  R: "replied",
  P: "forwarded",
  F: "flagged",
  D: "draft",
  T: "deleted",
};

/** Reads a path such as `.Sent.2024/cur/1204680122.27c448.host:2,RS`; undefined when it is not in a Maildir. */
export function parseMaildirPath(path: string): MaildirPlace | undefined {
  const segments = path.split("/");
  const state = segments.at(-2);
  const name = segments.at(-1) ?? "";
  if (state !== "cur" && state !== "new" && state !== "tmp") return undefined;
  // Where a name cannot contain `:`, programs write `;`, `!`, `_` or `-`.
  const letters = /[:;!_-]2,([A-Za-z]*)$/.exec(name)?.[1] ?? "";
  return {
    in_delivery: state === "tmp",
    folder: parseFolder(segments.slice(0, -2)),
    flags: [...new Set(letters)].flatMap((letter) => FLAGS[letter] ?? []),
  };
}

/** Maildir++ names folders `.Sent.2024`; others use directories. The root is the inbox. */
function parseFolder(segments: readonly string[]): string | undefined {
  const last = segments.at(-1);
  if (last === undefined) return undefined;
  return last.startsWith(".") ? last.slice(1).replaceAll(".", "/") : segments.join("/");
}
