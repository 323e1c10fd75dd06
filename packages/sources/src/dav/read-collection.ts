/** What changed in one calendar or address book since its cursor. */
import { type DAVResponse, propfind, syncCollection } from "tsdav";
import type { SourceChange, SourceTask } from "../live-source.ts";
import { notDav } from "./bounded-fetch.ts";
import { type DavCollection, readElement, requireList, toObjectPath } from "./collections.ts";
import { davLimits as limits } from "./limits.ts";
import { readObjects } from "./read-objects.ts";
import type { DavSession } from "./session.ts";

/** The reading of one collection. */
export interface CollectionRead {
  readonly session: DavSession;
  readonly task: SourceTask;
  readonly folder: DavCollection;
}

/** The progress in a collection. */
interface CollectionCursor {
  readonly version?: string | undefined;
  /** The token from which the server lists changes. */
  readonly token?: string | undefined;
  /** The name that its records have. */
  readonly name?: string | undefined;
  /** A run began to store changes after the token: what it stored must be compared with the server. */
  readonly is_partial?: boolean | undefined;
}

/** An object in a list of the server. */
export interface DavEntry {
  readonly item: string;
  readonly href: string;
  /** Changes with the object; undefined when the object is gone. */
  readonly etag: string | undefined;
}

/** Objects by their path, and the token from which the server lists later changes. */
interface Listing {
  readonly entries: ReadonlyMap<string, DavEntry>;
  readonly token: string | undefined;
}

/** Reads the changes of a collection. One that did not change costs no more than its row in the list. */
export async function* readCollection(read: CollectionRead): AsyncGenerator<SourceChange> {
  const { task, folder } = read;
  const { collection, version, name } = folder;
  const found = task.cursors.find((each) => each.collection === collection);
  // Only this function makes them.
  const cursor = (found?.cursor ?? {}) as CollectionCursor;
  const isWhole = cursor.is_partial !== true && cursor.name === name;
  if (isWhole && version !== undefined && cursor.version === version) return;
  const delta = isWhole && cursor.token !== undefined ? await listChanges(read, cursor.token) : undefined;
  const { entries, token } = delta ?? (await listAll(read));
  if (entries.size > 0) yield { kind: "cursor", collection, cursor: { ...cursor, is_partial: true } };
  const changed = delta
    ? yield* dropMissing(read, entries)
    : yield* compareAll(read, entries, cursor.name === name);
  yield* readObjects(read, changed);
  if (task.signal.aborted) return;
  yield { kind: "cursor", collection, cursor: { version, token, name } };
}

/** Every object with its version. */
async function listAll(read: CollectionRead): Promise<Listing> {
  const { session, folder } = read;
  if (folder.lists_changes) {
    const listed = await listChanges(read, "");
    if (listed) return listed;
  }
  const props = { "d:getetag": {}, "d:resourcetype": {} };
  const answers = await session.ask((common) => propfind({ url: folder.url, props, depth: "1", ...common }));
  requireList(answers);
  return { entries: readEntries(answers, folder), token: undefined };
}

/** What changed since a token; undefined when the server no longer knows it, or lists no changes. */
async function listChanges(
  { session, folder, task }: CollectionRead,
  since: string,
): Promise<Listing | undefined> {
  const { url } = folder;
  const entries = new Map<string, DavEntry>();
  let token = since;
  for (let part = 0; part < limits.list_parts && !task.signal.aborted; part += 1) {
    const answers = await session.ask((common) =>
      syncCollection({ url, props: { "d:getetag": {} }, syncLevel: 1, syncToken: token, ...common }),
    );
    const [first] = answers;
    const { multistatus } = Object(first?.raw) as { multistatus?: { syncToken?: unknown } };
    const next = readElement(multistatus?.syncToken);
    if (multistatus === undefined || next === undefined) return undefined;
    for (const [item, entry] of readEntries(answers, folder)) entries.set(item, entry);
    if (entries.size > limits.objects) throw notDav(`A collection has more than ${limits.objects} objects.`);
    // A server that lists only a part says so for the collection itself.
    const isPart = answers.some(({ href, status }) => status === 507 && isCollection(href, folder));
    if (!isPart || next === token) return { entries, token: next };
    token = next;
  }
  throw notDav("The server lists changes without end.");
}

function readEntries(answers: readonly DAVResponse[], folder: DavCollection): Map<string, DavEntry> {
  const entries = new Map<string, DavEntry>();
  for (const { href, status, props } of answers) {
    if (href === undefined || isCollection(href, folder)) continue;
    if (Object.hasOwn(Object(props?.resourcetype), "collection")) continue;
    const item = toObjectPath(href, folder.url);
    entries.set(item, { item, href, etag: status === 404 ? undefined : (readElement(props?.getetag) ?? "") });
  }
  return entries;
}

function isCollection(href: string | undefined, { url, collection }: DavCollection): boolean {
  return href === undefined || toObjectPath(href, url).replace(/\/$/, "") === collection.replace(/\/$/, "");
}

/** Reports the objects that are gone; returns the others. */
async function* dropMissing(
  { folder: { collection } }: CollectionRead,
  entries: ReadonlyMap<string, DavEntry>,
): AsyncGenerator<SourceChange, DavEntry[]> {
  const changed: DavEntry[] = [];
  for (const entry of entries.values()) {
    if (entry.etag === undefined) yield { kind: "remove", collection, item: entry.item };
    else changed.push(entry);
  }
  return changed;
}

/** Compares every stored object with the server; returns those that are new or have another version. */
async function* compareAll(
  { task, folder: { collection } }: CollectionRead,
  entries: ReadonlyMap<string, DavEntry>,
  hasName: boolean,
): AsyncGenerator<SourceChange, DavEntry[]> {
  const changed = new Map(entries);
  for await (const { item, state } of task.listItems(collection)) {
    const entry = entries.get(item);
    const { etag } = Object(state) as { etag?: string };
    if (entry?.etag === undefined) yield { kind: "remove", collection, item };
    else if (hasName && entry.etag !== "" && entry.etag === etag) changed.delete(item);
  }
  return [...changed.values()].filter(({ etag }) => etag !== undefined);
}
