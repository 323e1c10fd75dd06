/** The files of an archive of X: JSON behind an assignment, `window.YTD.tweets.part0 = [ … ]`. */
import type { FileEntry } from "../files/files.ts";

const ASSIGNMENT = /^\s*window\.YTD\.([A-Za-z0-9_]{1,60})\.part\d{1,6}\s*=\s*(?=[[{])/;
/** How much of a file to buffer to find the end of the assignment. */
const ASSIGNMENT_MAX_BYTES = 256;

/** The name of the assigned list, such as `tweets`; undefined for other files. */
export function findAssigned(head: string): string | undefined {
  return ASSIGNMENT.exec(head.replace(/^\ufeff/, ""))?.[1];
}

/** The same file as JSON: spaces replace the assignment, so that positions stay valid. */
export function toJsonFile(file: FileEntry): FileEntry {
  return {
    ...file,
    async *open(from_bytes = 0, to_bytes) {
      let held: Uint8Array = new Uint8Array();
      let isOpen = from_bytes > 0;
      for await (const chunk of file.open(from_bytes, to_bytes)) {
        if (isOpen) yield chunk;
        else {
          held = Buffer.concat([held, chunk]);
          if (held.length < ASSIGNMENT_MAX_BYTES) continue;
          isOpen = true;
          yield blankAssignment(held);
        }
      }
      if (!isOpen) yield blankAssignment(held);
    },
  };
}

function blankAssignment(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from(bytes.subarray(0, ASSIGNMENT_MAX_BYTES)).toString("latin1");
  const [assignment = ""] = ASSIGNMENT.exec(head.replace(/^\xef\xbb\xbf/, "   ")) ?? [];
  const blanked = Buffer.from(bytes);
  return blanked.fill(" ", 0, assignment.length);
}
