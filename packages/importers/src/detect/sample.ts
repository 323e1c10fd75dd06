/** The beginning of a file, from which formats are recognized. */
import { decodeText } from "../extract/decode-text.ts";
import type { FileEntry } from "../files/files.ts";

/** A file and its first bytes. */
export interface Sample {
  readonly entry: FileEntry;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The bytes as text, without a byte order mark. */
  readonly text: string;
  /** Whether it is the only file of its folder or archive: such a file may have any name. */
  readonly is_alone: boolean;
}

/** Whether a file belongs to a program, such as one in `.obsidian` or `.trash`. */
export function isProgramFile(path: string): boolean {
  return path.split("/").some((name) => name.startsWith("."));
}

const SAMPLE_BYTES = 32 * 1024;

/** Reads the beginning of a file. Throws `file_unreadable`. */
export async function takeSample(entry: FileEntry, is_alone = false): Promise<Sample> {
  const bytes = await entry.head(SAMPLE_BYTES);
  let text: string | undefined;
  return {
    entry,
    path: entry.path,
    bytes,
    is_alone,
    get text() {
      text ??= decodeText(withoutBrokenEnd(bytes));
      return text;
    },
  };
}

/** The sample may end inside a UTF-8 character, which must not make all of it look like another charset. */
function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && (bytes[end - 1]! & 0xc0) === 0x80) end -= 1;
  return end > 0 && bytes[end - 1]! >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}
