/** How far the reading of a folder's files got. */
export interface MailCheckpoint {
  readonly path: string;
  /** Up to where the file is done, in bytes. */
  readonly offset: number;
  /** How many messages of the file came before. */
  readonly number: number;
}

/** A checkpoint as a line of text. */
export function formatCheckpoint({ path, offset, number }: MailCheckpoint): string {
  return `${offset} ${number} ${path}`;
}

/** Reads a checkpoint; undefined, which is the beginning, for one of another form. */
export function parseCheckpoint(text = ""): MailCheckpoint | undefined {
  const [, offset, number, path] = /^(\d+) (\d+) (.+)$/s.exec(text) ?? [];
  return path === undefined ? undefined : { path, offset: Number(offset), number: Number(number) };
}
