/** Helpers with which importers recognize their format. */
import { ApiError } from "@rungs/contract";
import type { FileEntry, Files } from "./files.ts";

/** The beginning of a file as text; empty when the file cannot be read, which the import itself reports. */
export async function readHead(entry: FileEntry, max_bytes?: number): Promise<string> {
  try {
    return new TextDecoder().decode(await entry.head(max_bytes));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    return "";
  }
}

/** All files of a set. */
export async function listEntries(files: Files): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of files.list()) entries.push(entry);
  return entries;
}

/** The error for files that contain nothing of the requested format. */
export function refuseFiles(files: Files, label: string): ApiError {
  return new ApiError("unknown_format", { message: `${files.name} contains no ${label}.` });
}
