/** A checkpoint as `NUMBER… PATH`: the progress of reading a set of files. */
export interface FilePosition {
  readonly path: string;
  /** Progress in the file, in the importer's own units: elements, rows, bytes. */
  readonly counts: readonly number[];
}

/** Writes a checkpoint. The path comes last, because it may contain spaces and digits. */
export function formatResume(path: string, ...counts: readonly number[]): string {
  return [...counts, path].join(" ");
}

/** Parses a checkpoint of `count` numbers; undefined, which means the beginning, for anything else. */
export function parseResume(text: string | undefined, count = 1): FilePosition | undefined {
  const words = (text ?? "").split(" ");
  const [numbers, path] = [words.slice(0, count), words.slice(count).join(" ")];
  if (path === "" || !numbers.every((number) => /^\d+$/.test(number))) return undefined;
  return { path, counts: numbers.map(Number) };
}
