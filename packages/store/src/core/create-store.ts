import type { Database } from "../database.ts";
import type { Store, StoreOptions } from "../store.ts";
import { createAggregate } from "./aggregate.ts";
import { createBlobs } from "./blobs.ts";
import { createCatalog } from "./catalog.ts";
import { createChanges } from "./changes.ts";
import { createCheck } from "./check.ts";
import { createFields } from "./fields.ts";
import { createGrants } from "./grants.ts";
import { createIngest } from "./ingest.ts";
import { createRecords } from "./records.ts";
import { createSearch } from "./search.ts";
import { createSources } from "./sources.ts";

/** The one implementation of the port, over any engine. */
export function createStore(database: Database, { now = () => new Date() }: StoreOptions): Store {
  const catalog = createCatalog(database);
  return {
    ...createSources(database, catalog),
    ...createIngest(database, catalog, now),
    ...createChanges(database, catalog),
    ...createRecords(database, catalog),
    ...createFields(database, catalog),
    ...createSearch(database, catalog),
    ...createAggregate(database, catalog),
    ...createBlobs(database, catalog),
    ...createGrants(database, catalog),
    ...createCheck(database, catalog),
    traffic: database.traffic,
    close: () => database.close(),
  };
}
