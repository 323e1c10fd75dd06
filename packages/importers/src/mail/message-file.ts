import type { FileEntry } from "../files/files.ts";
import { BYTE_COUNT, type MailFileKind } from "./judge-file.ts";

/** The largest message that is read. It is held whole, several times over while it is decoded: then up to 1 GB. */
export const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;

/** Why a message of more bytes is passed over. */
export const TOO_LARGE = `It is larger than ${MESSAGE_MAX_BYTES / 1024 ** 2} MiB, the largest message that is read.`;

/** The message in a file that holds one; undefined when it is too large, in which case it is not read to its end. */
export async function readMessageFile(entry: FileEntry, kind: MailFileKind): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (entry.size_bytes > MESSAGE_MAX_BYTES) return undefined;
  for await (const piece of entry.open()) {
    pieces.push(piece);
    size += piece.length;
    if (size > MESSAGE_MAX_BYTES) return undefined;
  }
  const bytes = Buffer.concat(pieces);
  return kind === "emlx" ? messageOfEmlx(bytes) : bytes;
}

/** Behind the message an emlx file has a property list of Apple Mail's own. */
function messageOfEmlx(bytes: Buffer): Buffer {
  const [line = "", count] = BYTE_COUNT.exec(bytes.toString("latin1", 0, 64)) ?? [];
  return bytes.subarray(line.length, line.length + Number(count));
}
