/** Calendars over CalDAV and contacts over CardDAV. */

import { dropCollection } from "../drop-collection.ts";
import type { LiveSource, SourceChange, SourceTask } from "../live-source.ts";
import { listCollections } from "./collections.ts";
import { readCollection } from "./read-collection.ts";
import { findImporter } from "./read-objects.ts";
import { type DavProtocol, openAccount } from "./session.ts";
import { listDavHosts, requireDavSettings } from "./settings.ts";

const create = (protocol: DavProtocol, label: string): LiveSource => ({
  kind: protocol,
  label,
  hasSecret: () => true,
  declare: () => findImporter(protocol).manifest,
  requireSettings: requireDavSettings,
  describe(given) {
    const settings = requireDavSettings(given);
    return { account: settings.user, hosts: listDavHosts(settings) };
  },
  async check(access, signal) {
    const session = await openAccount(protocol, access, signal);
    await listCollections(session, requireDavSettings(access.settings));
  },
  read: (task) => read(protocol, task),
});

export const caldav: LiveSource = create("caldav", "Calendars (CalDAV)");

export const carddav: LiveSource = create("carddav", "Contacts (CardDAV)");

async function* read(protocol: DavProtocol, task: SourceTask): AsyncGenerator<SourceChange> {
  const session = await openAccount(protocol, task, task.signal);
  const folders = await listCollections(session, requireDavSettings(task.settings));
  for (const folder of folders) {
    if (task.signal.aborted) return;
    yield* readCollection({ session, task, folder });
  }
  const there = new Set(folders.map(({ collection }) => collection));
  for (const { collection } of task.cursors) {
    if (task.signal.aborted) return;
    if (!there.has(collection)) yield* dropCollection(task, collection);
  }
}
