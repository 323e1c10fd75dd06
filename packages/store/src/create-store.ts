import { ApiError } from "@rungs/contract";
import { TOKENIZER_VERSION } from "@rungs/evidence";
import { Catalog } from "./catalog/catalog.ts";
import { createAccess, createGrants, createTokens } from "./control/access.ts";
import { createAudit } from "./control/audit.ts";
import { createExclusions } from "./control/exclusions.ts";
import { createGrantUsage } from "./control/grant-usage.ts";
import { createSources } from "./control/sources.ts";
import { createState } from "./control/state.ts";
import { createSyncRuns } from "./control/sync-runs.ts";
import { type Database, EVERYONE, nameWrites, type Sql } from "./database.ts";
import { createMaskedCopies } from "./masks/masked-copies.ts";
import { createMaskedSamples } from "./masks/masked-samples.ts";
import { createOwners } from "./owners/owners.ts";
import { FOLDING } from "./rows/folded-values.ts";
import type { Store, StoreOptions } from "./store.ts";
import { createAccessCopy } from "./upkeep/access-copy.ts";
import { createCheck } from "./upkeep/check.ts";
import { createCopy } from "./upkeep/copy.ts";
import { foldPartition, listUnfolded } from "./upkeep/fold-values.ts";
import { createRebuild, listOutdated, rebuildPlace } from "./upkeep/rebuild.ts";
import { createStreamSizes } from "./upkeep/stream-sizes.ts";
import { createTagging } from "./upkeep/tag-matching.ts";
import { Embedders } from "./vectors/embedders.ts";
import { createEmbeddings } from "./vectors/embeddings.ts";
import { staticEmbedder } from "./vectors/word-vectors.ts";
import { createSpentWork } from "./work-budget.ts";
import { bindCallers, createReads } from "./workers/scoped-reads.ts";
import { createDeletion } from "./write/deletion.ts";
import { createIngest } from "./write/ingest.ts";
import { createSyncs } from "./write/syncs.ts";

/** The one implementation of the port, over any engine. Rebuilds indexes of an older tokenizer version and folds values first. */
export async function createStore(database: Database, options: StoreOptions): Promise<Store> {
  const { now = () => new Date(), embedder = staticEmbedder } = options;
  const catalog = new Catalog(database);
  const target = { database, embedders: new Embedders(embedder) };
  const work = createSpentWork();
  await database.peek(EVERYONE, requireNotNewer);
  for (const place of await database.peek(EVERYONE, listOutdated)) await rebuildPlace(target, catalog, place);
  const state = createState(database, catalog, now);
  for (const place of await database.peek(EVERYONE, listUnfolded))
    await foldPartition(target, catalog, place);
  const deletion = createDeletion(target, catalog, now);
  return bindCallers({
    ...createOwners(database, catalog, deletion.deleteConnection),
    ...createSources(target, catalog),
    ...createIngest(target, catalog, now),
    ...deletion,
    ...createSyncs(target, catalog, now),
    ...createSyncRuns(database, catalog),
    ...createReads(target, options, { catalog, work }),
    ...createEmbeddings(target, catalog, now),
    ...createGrants(database, catalog),
    ...createGrantUsage(database, catalog),
    ...createExclusions(database, catalog),
    ...createTagging(target, catalog),
    ...createTokens(database, catalog, now),
    ...createAudit(database, catalog),
    ...createStreamSizes(database, catalog),
    ...createAccess(database),
    ...createSignals(database, catalog),
    ...state,
    ...createMaskedCopies(target, catalog, { now, getSecret: state.getSecret }),
    ...createMaskedSamples(database, catalog, state.getSecret),
    ...createCheck(database, catalog),
    ...createRebuild(target, catalog),
    ...createCopy(database),
    ...createAccessCopy(database, catalog, now),
    database_role: options.database_role,
    seal_state: options.seal_state,
    traffic: database.traffic,
    work,
    abandoned: { dropped: 0, cancelled: 0 },
    given_way: { ms: 0 },
    close: () => database.close(),
  });
}

/**
 * Throws `database_newer` if a newer version has derived data from the records that this one would derive differently.
 */
async function requireNotNewer(sql: Sql): Promise<void> {
  const newer = await sql.all(
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM runs WHERE tokenizer > $1) OR EXISTS (SELECT 1 FROM parts WHERE folding > $2)`,
    [TOKENIZER_VERSION, FOLDING],
  );
  if (newer.length > 0) throw new ApiError("database_newer");
}

function createSignals({ signals }: Database, catalog: Catalog) {
  return {
    tellServers: (topic) => signals.tell(topic),
    onTold: (topic, wake) => signals.listen(topic, wake),
    onWrite: async (owner_id, wake) => signals.listen(nameWrites(await catalog.requireOwner(owner_id)), wake),
  } satisfies Partial<Store>;
}
