/** Manifests and connections. */
import { ApiError, type Manifest, type StreamShape } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import { numberFields } from "../catalog/field-numbers.ts";
import { formatMasks } from "../catalog/scoped-partition.ts";
import type { SqlRow } from "../database.ts";
import type { Connection, ConnectionInput, Store } from "../store.ts";
import { rebuildPartition } from "../upkeep/rebuild.ts";

export function createSources(target: WriteTarget, catalog: Catalog) {
  const { database } = target;
  return {
    async putManifest(owner_id, manifest) {
      const owner = await catalog.requireOwner(owner_id);
      const body = JSON.stringify(manifest);
      await database.write(owner, async (sql) => {
        const version = [owner, manifest.source.id, manifest.declaration_version];
        const [stored] = await sql.all<{ body: string }>(
          "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
          version,
        );
        if (!stored) await sql.insert("manifests", [[...version, body]]);
        else if (stored.body !== body)
          throw new ApiError("manifest_conflict", { param: "declaration_version" });
      });
    },
    async getManifest(owner_id, source_id, declaration_version) {
      const owner = await catalog.requireOwner(owner_id);
      const [row] = await database.peek(owner, (sql) =>
        sql.all<{ body: string }>(
          "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
          [owner, source_id, declaration_version],
        ),
      );
      return row && (JSON.parse(row.body) as Manifest);
    },
    async listManifests(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.peek(owner, (sql) =>
        sql.all<{ source_id: string; declaration_version: string }>(
          "SELECT source_id, declaration_version FROM manifests WHERE owner = $1 ORDER BY source_id, declaration_version",
          [owner],
        ),
      );
    },
    async putConnection(owner_id, connection) {
      const owner = await catalog.requireOwner(owner_id);
      await withCounters(target, owner, (context) => putConnection(context, catalog, connection));
    },
    async listConnections(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.peek(owner, (sql) =>
        sql.all<SqlRow & Connection>(
          "SELECT connection_id, source_id, declaration_version, display_name, created_at FROM connections WHERE owner = $1 ORDER BY connection_id",
          [owner],
        ),
      );
    },
  } satisfies Partial<Store>;
}

async function putConnection(
  context: WriteContext,
  catalog: Catalog,
  connection: ConnectionInput,
): Promise<void> {
  const { sql, owner } = context;
  const { connection_id, source_id, declaration_version, display_name } = connection;
  const declaration = await catalog.declarations.require(context, source_id, declaration_version);
  const [stored] = await sql.all<{ source_id: string; declaration_version: string }>(
    "SELECT source_id, declaration_version FROM connections WHERE owner = $1 AND connection_id = $2",
    [owner, connection_id],
  );
  if (stored && stored.source_id !== source_id)
    throw new ApiError("connection_exists", { param: "connection_id" });
  if (!stored) {
    const created_at = new Date().toISOString();
    await sql.insert("connections", [
      [owner, connection_id, source_id, declaration_version, display_name, created_at],
    ]);
    for (const shape of declaration.shapes.values()) await numberFields(context, connection_id, shape);
    return;
  }
  await sql.run(
    "UPDATE connections SET declaration_version = $3, display_name = $4 WHERE owner = $1 AND connection_id = $2",
    [owner, connection_id, declaration_version, display_name],
  );
  const before = await catalog.declarations.require(context, source_id, stored.declaration_version);
  for (const [stream, shape] of declaration.shapes) {
    const numbers = await numberFields(context, connection_id, shape);
    if (isStoredAlike(before.shapes.get(stream), shape)) continue;
    await rebuildPartition(context, { ...numbers, connection_id, stream, shape });
    for (const { masks } of await catalog.listCopies(context, connection_id, stream)) {
      const copy = await numberFields(context, connection_id, shape, formatMasks(masks));
      await rebuildPartition(context, { ...copy, connection_id, stream, shape });
    }
  }
}

/** Whether two declarations of a stream derive the same index, scalars, sort keys and times from a record. */
function isStoredAlike(before: StreamShape | undefined, after: StreamShape): boolean {
  const essence = ({ cursor_field, consent_time_field, fields }: StreamShape) =>
    JSON.stringify([
      cursor_field,
      consent_time_field,
      fields.map(({ name, lexical, filterable, listed, format, role }) => [
        name,
        lexical,
        filterable,
        listed,
        format,
        role,
      ]),
    ]);
  return before !== undefined && essence(before) === essence(after);
}
