import { ApiError, type ImportedItem } from "@rungs/contract";
import type { Detection } from "../detect/detection.ts";
import { type Sample, takeSample } from "../detect/sample.ts";
import type { FileEntry, Files } from "../files/files.ts";

/** The components of a format: the one that a file begins with, and others that identify it. */
export interface ComponentNames {
  readonly first: string;
  readonly inner: readonly string[];
}

/** Recognizes a file by its first line, else by a BEGIN or END line among lines of the same form. */
export function recogniseComponents(
  { text }: Sample,
  { first, inner }: ComponentNames,
): Detection | undefined {
  if (new RegExp(`^\\s*BEGIN:${first}\\b`, "i").test(text)) {
    return { confidence: "signature", reason: `it begins with BEGIN:${first}` };
  }
  const names = [first, ...inner].join("|");
  const [line] = new RegExp(`^(?:BEGIN|END):(?:${names})[ \\t]*\\r?$`, "im").exec(text) ?? [];
  if (line === undefined || !isMostlyProperties(text)) return undefined;
  const reason = `it has a line ${line.trim().toUpperCase()}, although it does not begin with BEGIN:${first}`;
  return { confidence: "guess", reason };
}

const PROPERTY = /^(?:[A-Za-z0-9.-]+[;:]|[ \t])/;

/** Prose about calendars may quote one. */
function isMostlyProperties(text: string): boolean {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.filter((line) => PROPERTY.test(line)).length * 4 >= lines.length * 3;
}

/** The items of the files of a format; other files are rejected. */
export async function* readEach(
  files: Files,
  names: ComponentNames,
  read: (entry: FileEntry) => AsyncIterable<ImportedItem>,
): AsyncGenerator<ImportedItem> {
  for await (const entry of files.list()) {
    const place = entry.path;
    try {
      if (recogniseComponents(await takeSample(entry), names)) yield* read(entry);
      else yield { kind: "rejected", place, reason: `It does not begin with BEGIN:${names.first}.` };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
      yield { kind: "rejected", place, reason: error.message };
    }
  }
}
