import type { MailFileKind } from "./detect-mail-file.ts";

/**
 * The folder of the mail program that a file is or belongs to, by its path: `Archives.sbd/2010` and `Sent` of Thunderbird,
 * `Work.mbox/mbox` of Apple Mail, `sent/17.eml`. Only the names that the program gave: not where the person put it all.
 */
export function nameMailFolder(path: string, kind: MailFileKind): string | undefined {
  const segments = path.split("/");
  const own = segments.pop() ?? "";
  const boxes = segments.filter((segment) => MAILBOX.test(segment));
  const names =
    kind === "mbox" && !(own === "mbox" && boxes.length > 0)
      ? [...takeTrailing(segments, (segment) => segment.endsWith(".sbd")), own]
      : boxes.length > 0
        ? boxes
        : segments.slice(-1);
  const folder = names.map((name) => name.replace(MAILBOX, "")).join("/");
  return folder === "" ? undefined : folder;
}

const MAILBOX = /\.(?:mbox|mbx|sbd)$/i;

function takeTrailing(segments: readonly string[], fits: (segment: string) => boolean): string[] {
  return segments.slice(segments.findLastIndex((segment) => !fits(segment)) + 1);
}
