/** The content of calendar objects and cards, as the importers of their files read it. */
import { createHash } from "node:crypto";
import type { ImportedRecord } from "@rungs/contract";
import { createMemoryFiles, type Importer, requireImporter } from "@rungs/importers";
import { addressBookMultiGet, calendarMultiGet } from "tsdav";
import type { SourceChange } from "../live-source.ts";
import { readElement, requireList, toObjectPath } from "./collections.ts";
import { davLimits as limits } from "./limits.ts";
import type { CollectionRead, DavEntry } from "./read-collection.ts";
import type { DavProtocol } from "./session.ts";

/** How each protocol requests objects, and which importer reads them. */
const kinds = {
  caldav: { importer: "calendar", extension: "ics", prop: "c:calendar-data", member: "calendarData" },
  carddav: { importer: "contacts", extension: "vcf", prop: "card:address-data", member: "addressData" },
} as const;

/** Returns the importer whose records a protocol gives. */
export function findImporter(protocol: DavProtocol): Importer {
  return requireImporter(kinds[protocol].importer);
}

/** Reads objects, a batch in one request. Removes an object that has disappeared meanwhile. */
export async function* readObjects(
  read: CollectionRead,
  entries: readonly DavEntry[],
): AsyncGenerator<SourceChange> {
  const { task, folder } = read;
  for (let at = 0; at < entries.length && !task.signal.aborted; at += limits.batch_objects) {
    task.report({ collection: folder.name, done: at, total: entries.length });
    const batch = entries.slice(at, at + limits.batch_objects);
    const contents = await fetchContents(read, batch);
    for (const entry of batch) yield* readObject(read, entry, contents.get(entry.item));
  }
}

interface Content {
  readonly text: string;
  readonly etag: string | undefined;
}

async function fetchContents(
  { session, folder: { url } }: CollectionRead,
  batch: readonly DavEntry[],
): Promise<Map<string, Content>> {
  const { prop, member } = kinds[session.protocol];
  const answers = await session.ask((common) => {
    const asked = {
      url,
      props: { "d:getetag": {}, [prop]: {} },
      objectUrls: batch.map(({ href }) => href),
      depth: "1",
      ...common,
    } as const;
    return session.protocol === "caldav" ? calendarMultiGet(asked) : addressBookMultiGet(asked);
  });
  requireList(answers);
  const contents = new Map<string, Content>();
  for (const { href, props } of answers) {
    const text = readElement(props?.[member]);
    if (href !== undefined && text !== undefined)
      contents.set(toObjectPath(href, url), { text, etag: readElement(props?.getetag) });
  }
  return contents;
}

async function* readObject(
  { session, task, folder }: CollectionRead,
  { item, etag: listed }: DavEntry,
  content: Content | undefined,
): AsyncGenerator<SourceChange> {
  const { collection, name } = folder;
  if (!content) {
    yield { kind: "remove", collection, item };
    return;
  }
  const state = { etag: content.etag ?? listed };
  const place = `${name}: ${item}`;
  if (content.text.length > limits.object_bytes) {
    yield {
      kind: "reject",
      collection,
      item,
      place,
      reason: "It is larger than any calendar object or card.",
      state,
    };
    return;
  }
  const { records, reason } = await importObject(session.protocol, content.text, { name, task });
  const [first, ...others] = records;
  if (first) yield { kind: "put", collection, item, records: [first, ...others], state };
  else yield { kind: "reject", collection, item, place, reason, state };
}

interface ObjectContext {
  readonly name: string;
  readonly task: CollectionRead["task"];
}

/** Reads one object as a file named for its collection: a calendar's name is that of its file. */
async function importObject(
  protocol: DavProtocol,
  text: string,
  { name, task }: ObjectContext,
): Promise<{ records: ImportedRecord[]; reason: string }> {
  const { extension } = kinds[protocol];
  const path = `${name.replaceAll("/", "-") || createHash("sha256").update(text).digest("hex")}.${extension}`;
  const { putBlob, extractText } = task;
  const source = {
    files: createMemoryFiles(path, { [path]: text }),
    putBlob,
    extractText,
    note: () => undefined,
  };
  const records: ImportedRecord[] = [];
  let reason = "It has no readable content.";
  for await (const each of findImporter(protocol).read(source)) {
    if (each.kind === "record") records.push(each);
    else if (each.kind === "rejected") reason = each.reason;
  }
  return { records, reason };
}
