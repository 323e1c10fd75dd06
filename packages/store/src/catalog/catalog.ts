/** Which partitions (one for each stream of a connection) there are, and what of them a scope covers. */
import { ApiError, type Manifest, type ReadScope, type StreamScope, type StreamShape } from "@rungs/contract";
import type { Database, Sql, WriteSql } from "../database.ts";
import { Declaration } from "./declaration.ts";
import { numberFields } from "./field-numbers.ts";

/** A stream of a connection as it is stored: its number, its declaration, its fields' numbers. */
export interface Partition {
  readonly id: number;
  readonly connection_id: string;
  readonly stream: string;
  readonly shape: StreamShape;
  /** A field's number is its place here; names are only ever added. */
  readonly fieldNames: readonly string[];
}

/** A partition as far as a scope covers it. */
export interface ScopedPartition extends Partition {
  readonly scope: StreamScope;
  /** The granted fields that the stream declares. */
  readonly granted: ReadonlySet<string>;
}

export interface WritablePartition extends Partition {
  readonly check: ReturnType<Declaration["getCheck"]>;
}

interface PartitionRow extends Record<string, string | number> {
  part: number;
  connection_id: string;
  stream: string;
  fields: string;
  source_id: string;
  declaration_version: string;
}

const PARTITION_COLUMNS = "p.part, p.connection_id, p.stream, p.fields, c.source_id, c.declaration_version";
const PARTITIONS = `parts p JOIN connections c ON c.owner = p.owner AND c.connection_id = p.connection_id`;

export type Catalog = ReturnType<typeof createCatalog>;

export function createCatalog(database: Database) {
  const owners = new Map<string, number>();
  /** Manifests never change once stored, so what is made of them is kept. */
  const declarations = new Map<string, Declaration>();

  async function requireOwner(owner_id: string): Promise<number> {
    const known = owners.get(owner_id);
    if (known !== undefined) return known;
    const [row] = await database.peek((sql) =>
      sql.all<{ owner: number }>("SELECT owner FROM owners WHERE owner_id = $1", [owner_id]),
    );
    if (!row) throw new ApiError("not_found", { message: "There is no such owner." });
    owners.set(owner_id, row.owner);
    return row.owner;
  }

  async function requireDeclaration(
    sql: Sql,
    owner: number,
    source_id: string,
    version: string,
  ): Promise<Declaration> {
    const key = JSON.stringify([owner, source_id, version]);
    let declaration = declarations.get(key);
    if (!declaration) {
      const [row] = await sql.all<{ body: string }>(
        "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
        [owner, source_id, version],
      );
      if (!row)
        throw new ApiError("invalid_manifest", {
          message: "The connection's manifest is not stored.",
          param: "declaration_version",
        });
      declaration = new Declaration(JSON.parse(row.body) as Manifest);
      declarations.set(key, declaration);
    }
    return declaration;
  }

  async function toPartition(sql: Sql, owner: number, row: PartitionRow): Promise<Partition | undefined> {
    const declaration = await requireDeclaration(sql, owner, row.source_id, row.declaration_version);
    const shape = declaration.shapes.get(row.stream);
    return (
      shape && {
        id: row.part,
        connection_id: row.connection_id,
        stream: row.stream,
        shape,
        fieldNames: JSON.parse(row.fields),
      }
    );
  }

  return {
    requireOwner,
    requireDeclaration,

    /** The partitions that a scope covers, each with its limits. What the scope names and is not there is left out. */
    async listScopedPartitions(sql: Sql, owner: number, scope: ReadScope): Promise<ScopedPartition[]> {
      if (scope.streams.length === 0) return [];
      const rows = await sql.all<PartitionRow>(
        `SELECT ${PARTITION_COLUMNS} FROM ${PARTITIONS} WHERE p.owner = $1 AND ${sql.dialect.isAnyText("p.connection_id", "$2")} AND ${sql.dialect.isAnyText("p.stream", "$3")} ORDER BY p.connection_id, p.stream`,
        [
          owner,
          [...new Set(scope.streams.map((one) => one.connection_id))],
          [...new Set(scope.streams.map((one) => one.stream))],
        ],
      );
      const partitions: ScopedPartition[] = [];
      for (const row of rows) {
        const limits = scope.streams.find(
          (one) => one.connection_id === row.connection_id && one.stream === row.stream,
        );
        const partition = limits && (await toPartition(sql, owner, row));
        if (partition)
          partitions.push({ ...partition, scope: limits, granted: grantedFields(partition.shape, limits) });
      }
      return partitions;
    },

    /** A partition by its number; undefined when its connection's manifest no longer has its stream. */
    async findPartition(sql: Sql, owner: number, partition: number): Promise<Partition | undefined> {
      const [row] = await sql.all<PartitionRow>(
        `SELECT ${PARTITION_COLUMNS} FROM ${PARTITIONS} WHERE p.owner = $1 AND p.part = $2`,
        [owner, partition],
      );
      return row && toPartition(sql, owner, row);
    },

    /** The one partition that a request names, if the scope covers it. */
    async findScopedPartition(
      sql: Sql,
      owner: number,
      scope: ReadScope,
      at: { connection_id: string; stream: string },
    ): Promise<ScopedPartition | undefined> {
      const streams = scope.streams.filter(
        (one) => one.connection_id === at.connection_id && one.stream === at.stream,
      );
      return (await this.listScopedPartitions(sql, owner, { ...scope, streams }))[0];
    },

    /** The partition for a stream that is written to; made when it is new. Undefined when the manifest has no such stream. */
    async openWritablePartition(
      sql: WriteSql,
      owner: number,
      connection_id: string,
      stream: string,
    ): Promise<WritablePartition | undefined> {
      const [connection] = await sql.all<{ source_id: string; declaration_version: string }>(
        "SELECT source_id, declaration_version FROM connections WHERE owner = $1 AND connection_id = $2",
        [owner, connection_id],
      );
      if (!connection) throw new ApiError("connection_not_found", { param: "connection_id" });
      const declaration = await requireDeclaration(
        sql,
        owner,
        connection.source_id,
        connection.declaration_version,
      );
      const shape = declaration.shapes.get(stream);
      if (!shape) return undefined;
      const { id, fieldNames } = await numberFields(sql, owner, connection_id, shape);
      return {
        id,
        connection_id,
        stream,
        shape,
        fieldNames,
        check: declaration.getCheck(stream),
      };
    },
  };
}

function grantedFields(shape: StreamShape, scope: StreamScope): Set<string> {
  const declared = new Set(shape.fields.map((field) => field.name));
  return new Set(scope.fields.filter((field) => declared.has(field)));
}
