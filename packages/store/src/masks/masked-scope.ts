/** Prepares scopes that mask: their reads need the masked copies, and name records by masked keys (R82). */
import { ApiError, type ReadScope, type StreamScope } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, SqlContext } from "../database.ts";
import { formatMasks } from "./masks.ts";
import { openMasker } from "./stream-masker.ts";

/** How long a copy counts as complete without another check. */
const KNOWN_MS = 1_000;

export class MaskedScopes {
  readonly #database: Database;
  readonly #catalog: Catalog;
  /** When copies were last found complete. They go with their last grant, and are made again after a rebuild. */
  readonly #complete = new Map<string, number>();

  constructor(database: Database, catalog: Catalog) {
    this.#database = database;
    this.#catalog = catalog;
  }

  /** The scope itself where nothing is masked. Throws `masking_unfinished` until every copy is complete. */
  async resolve(scope: ReadScope): Promise<ReadScope> {
    if (scope.streams.every(({ masks }) => masks === undefined)) return scope;
    const owner = await this.#catalog.requireOwner(scope.owner_id);
    const streams: StreamScope[] = [];
    for (const entry of scope.streams) {
      if (entry.masks) await this.#requireComplete(owner, entry);
      streams.push(entry.masks && hasKeys(entry) ? await this.#maskKeys(owner, entry) : entry);
    }
    return { ...scope, streams };
  }

  async #requireComplete(owner: number, { connection_id, stream, masks }: StreamScope): Promise<void> {
    const written = formatMasks(masks);
    const key = JSON.stringify([owner, connection_id, stream, written]);
    if (performance.now() - (this.#complete.get(key) ?? Number.NEGATIVE_INFINITY) < KNOWN_MS) return;
    const rows = await this.#database.peek(owner, (sql) =>
      sql.all<{ masks: string | null; copied_doc: number | null }>(
        "SELECT masks, copied_doc FROM parts WHERE owner = $1 AND connection_id = $2 AND stream = $3",
        [owner, connection_id, stream],
      ),
    );
    // A stream without records and declaration has nothing to copy.
    if (rows.length === 0) return;
    if (!rows.some((row) => row.masks === written && row.copied_doc === null))
      throw new ApiError("masking_unfinished");
    this.#complete.set(key, performance.now());
  }

  /** The keys that a grant and the owner's exclusions name, as the copy has them. */
  async #maskKeys(owner: number, entry: StreamScope): Promise<StreamScope> {
    return this.#database.peek(owner, async (sql) => {
      const context: SqlContext = { sql, owner };
      const copies = await this.#catalog.listCopies(context, entry.connection_id, entry.stream);
      const copy = copies.find(({ masks }) => formatMasks(masks) === formatMasks(entry.masks));
      if (!copy) return entry;
      const { maskKey } = await openMasker(context, this.#catalog, copy);
      const { record_ids, never } = entry;
      return {
        ...entry,
        ...(record_ids ? { record_ids: record_ids.map(maskKey) } : {}),
        ...(never ? { never: { ...never, record_ids: never.record_ids.map(maskKey) } } : {}),
      };
    });
  }
}

function hasKeys({ record_ids, never }: StreamScope): boolean {
  return record_ids !== undefined || (never?.record_ids.length ?? 0) > 0;
}
