/** Mail from Outlook files: MSG files, and the data files PST and OST. */
import { buffer } from "node:stream/consumers";
import type { ImportedItem } from "@rungs/contract";
import { EXTRACTION_LIMITS } from "../extract/limits.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import type { ImportSource } from "../importer.ts";
import type { OutlookMessage } from "../outlook/outlook-message.ts";
import { readStore } from "../outlook/read-store.ts";
import { toEmail } from "../outlook/to-email.ts";
import { withCheckpoint } from "../record-item.ts";
import { readMailItem } from "./mail-items.ts";

/** The message of an MSG file, which is read in the extraction process. */
export async function* readMsgMail(
  source: ImportSource,
  entry: FileEntry,
  folder: string | undefined,
): AsyncGenerator<ImportedItem> {
  const place = entry.path;
  if (entry.size_bytes > EXTRACTION_LIMITS.input_bytes) {
    yield { kind: "rejected", place, reason: `It is larger than ${EXTRACTION_LIMITS.input_bytes} bytes.` };
    return;
  }
  const extraction = await source.extractText({ bytes: await buffer(entry.open()), file_name: place });
  if (extraction.kind === "text" && extraction.message)
    yield* readOutlookMessage(source, extraction.message, { place, folder });
  else {
    const reason = extraction.kind === "text" ? "It is not an Outlook message." : extraction.reason;
    yield { kind: "rejected", place, reason };
  }
}

/** The messages of a data file, with its folders as labels. Appointments, contacts and tasks are counted. */
export async function* readStoreMail(
  source: ImportSource,
  entry: FileEntry,
  done: number,
): AsyncGenerator<ImportedItem> {
  let number = done;
  let others = 0;
  for await (const item of readStore(entry, done)) {
    number += 1;
    if (item.kind === "other") {
      others += 1;
      continue;
    }
    if (item.kind === "unreadable") {
      yield { kind: "rejected", place: entry.path, reason: item.reason };
      continue;
    }
    const place = [entry.path, ...(item.folder === "" ? [] : [item.folder]), `item ${number}`].join(", ");
    const items =
      item.kind === "problem"
        ? [{ kind: "rejected", place, reason: item.reason } as const]
        : readOutlookMessage(source, item.message, { place, folder: item.folder });
    // Items have no byte offset. Use 0, which is below the file size: the size would mean that everything was read.
    yield* withCheckpoint(items, formatResume(entry.path, 0, number));
  }
  if (others > 0)
    source.note(
      `${entry.path}: ${others} appointments, contacts, tasks and notes were left out; export them from Outlook as ICS or vCard.`,
    );
}

async function* readOutlookMessage(
  source: ImportSource,
  message: OutlookMessage,
  { place, folder }: { readonly place: string; readonly folder: string | undefined },
): AsyncGenerator<ImportedItem> {
  const flags = [...(message.is_read ? ["seen"] : []), ...(message.is_draft ? ["draft"] : [])];
  const { conversation } = message;
  const content = await toEmail(message);
  yield* readMailItem(source, {
    content,
    place,
    folder: folder === "" ? undefined : folder,
    flags,
    conversation,
  });
}
