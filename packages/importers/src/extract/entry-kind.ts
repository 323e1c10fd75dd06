import { buffer } from "node:stream/consumers";
import type { FileEntry } from "../files/files.ts";
import { type DocumentKind, detectKind, needsWholeFile } from "./document-kind.ts";
import { EXTRACTION_LIMITS } from "./limits.ts";

/** Detects the kind of a file; of an archive or a compound file by the whole of it. */
export async function detectEntryKind(entry: FileEntry, head?: Uint8Array): Promise<DocumentKind> {
  const file_name = entry.path;
  const kind = detectKind({ bytes: head ?? (await entry.head()), file_name });
  const isOpen = needsWholeFile(kind) && entry.size_bytes <= EXTRACTION_LIMITS.input_bytes;
  return isOpen ? detectKind({ bytes: await buffer(entry.open()), file_name }) : kind;
}
