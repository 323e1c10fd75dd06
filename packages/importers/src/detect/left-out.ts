/** Explains why a file of no known format is left out. */
import { ARCHIVE_TYPE, detectKind } from "../extract/document-kind.ts";
import { isProgramFile, type Sample } from "./sample.ts";

/** Why a file is left out, and whether a document may link to it, as a note links to a picture. */
export interface LeftOut {
  readonly reason: string;
  readonly is_linkable: boolean;
}

/** By the prefix of the media type. */
const REASONS: readonly (readonly [type: string, reason: string])[] = [
  ["image/", "It is a picture, which is not read."],
  ["video/", "It is a video, which is not read."],
  ["audio/", "It is a sound, which is not read."],
  ["application/vnd.sqlite3", "It is a database of a program, which is not read."],
  [
    ARCHIVE_TYPE,
    "It is an archive of a kind that is not read (7z, RAR, XZ, bzip2, Zstandard); unpack it and import the folder.",
  ],
  ["application/x-encrypted-office", "It is an Office file that is protected by a password."],
  [
    "application/vnd.ms-excel",
    "It is a workbook of the older kind (XLS), which is not read; save it as XLSX.",
  ],
  [
    "application/vnd.ms-powerpoint",
    "It is a presentation of the older kind (PPT), which is not read; save it as PPTX.",
  ],
  ["application/x-ole-storage", "It is an Office file of the older kind, which is not read."],
  ["application/vnd.openxmlformats", "It is an Office file of a kind that is not read."],
  ["application/vnd.oasis", "It is an OpenDocument file of a kind that is not read."],
];

/** The reason for an unknown file. */
export const NOTHING_KNOWN = "It has no known format.";

/** Explains in one sentence why no format reads a file. */
export function explainLeftOut({ bytes, path, entry }: Sample): LeftOut {
  const leave = (reason: string): LeftOut => ({ reason, is_linkable: false });
  if (entry.size_bytes === 0) return leave("It is empty.");
  if (isSignalBackup(bytes, path)) return leave(SIGNAL_BACKUP);
  if (isProgramFile(path)) return leave("It belongs to a program: its name or folder begins with a dot.");
  const { mime_type } = detectKind({ bytes, file_name: path });
  const [, reason] = REASONS.find(([type]) => mime_type.startsWith(type)) ?? [];
  return { reason: reason ?? NOTHING_KNOWN, is_linkable: reason !== undefined };
}

const SIGNAL_BACKUP =
  "It is an encrypted backup of Signal. Export your chats in Signal as JSON, or decrypt the backup with signalbackup-tools, and import the result.";

/** A backup of Signal for Android begins with the length of its header and the header's first field. */
function isSignalBackup(bytes: Uint8Array, path: string): boolean {
  return /\.backup$/i.test(path) && bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 0 && bytes[4] === 0x0a;
}
