import type { FileEntry } from "../files/files.ts";
import { splitJson } from "./split-json.ts";
import type { ExportedObject } from "./values.ts";

/** How many bytes of a file's own members to hold. */
const MEMBER_MAX_BYTES = 4 * 1024 * 1024;

/** The members of the object in a file, except the long one; unreadable members are absent. */
export async function readMembers(file: FileEntry, long: string): Promise<ExportedObject> {
  const members: Record<string, unknown> = {};
  const items = splitJson(file.open(), {
    max_bytes: MEMBER_MAX_BYTES,
    choose: ([name], kind) =>
      name === undefined ? (kind === "object" ? "enter" : "skip") : name === long ? "skip" : "take",
  });
  for await (const item of items) {
    if (item.kind === "value") members[String(item.path[0])] = item.value;
  }
  return members;
}
