import type { Database } from "../database.ts";
import type { Store, StoreOptions } from "../store.ts";
import { createAccess } from "./access.ts";
import { createAggregate } from "./aggregate.ts";
import { createBlobs } from "./blobs.ts";
import { createCatalog } from "./catalog.ts";
import { createChanges } from "./changes.ts";
import { createCheck } from "./check.ts";
import { createCopy } from "./copy.ts";
import { withCounters } from "./counters.ts";
import { createFields } from "./fields.ts";
import { createGrants } from "./grants.ts";
import { createIngest } from "./ingest.ts";
import { listOutdated, rebuildPart } from "./rebuild.ts";
import { createRecords } from "./records.ts";
import { createSearch } from "./search.ts";
import { createSources } from "./sources.ts";
import { createState } from "./state.ts";

/** The one implementation of the port, over any engine. An index of another tokenizer is built again first. */
export async function createStore(
  database: Database,
  { now = () => new Date() }: StoreOptions,
): Promise<Store> {
  const catalog = createCatalog(database);
  for (const { owner, part } of await database.peek(listOutdated)) {
    await withCounters(database, owner, async (sql, counters) => {
      const found = await catalog.partOf(sql, owner, part);
      if (found) await rebuildPart(sql, owner, found, counters);
    });
  }
  return {
    ...createSources(database, catalog),
    ...createIngest(database, catalog, now),
    ...createChanges(database, catalog),
    ...createRecords(database, catalog),
    ...createFields(database, catalog),
    ...createSearch(database, catalog),
    ...createAggregate(database, catalog),
    ...createBlobs(database, catalog),
    ...createGrants(database, catalog, now),
    ...createAccess(database),
    ...createState(database, catalog, now),
    ...createCheck(database, catalog),
    ...createCopy(database),
    traffic: database.traffic,
    close: () => database.close(),
  };
}
