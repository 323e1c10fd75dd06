/** Looks up owners and partitions, and narrows partitions to what a scope covers. */
import {
  ApiError,
  createRecordCheck,
  describeStream,
  type Manifest,
  type ManifestStream,
  needsParent,
  type ReadScope,
  type StreamMasks,
  type StreamScope,
  type StreamShape,
  TABLE_SOURCE_IDS,
} from "@rungs/contract";
import type { Database, Sql, SqlContext, SqlRow, WriteSql } from "../database.ts";
import { createNoOwner } from "../owners/account.ts";
import { FOLDING, LINK_FIELDS } from "../rows/folded-values.ts";
import { numberFields } from "./field-numbers.ts";
import {
  formatMasks,
  listGranted,
  parseMasks,
  prepareScope,
  requireTagged,
  type ScopedParent,
  type ScopedPartition,
} from "./scoped-partition.ts";

/** The records of one stream of one connection: a row of `parts` with its stream's declaration. */
export interface Partition {
  readonly id: number;
  readonly connection_id: string;
  readonly stream: string;
  readonly shape: StreamShape;
  /** A field's number is its index in this list. Names are only ever appended. */
  readonly fieldNames: readonly string[];
  /** Set for the masked copy of a stream's records. */
  readonly masks?: StreamMasks | undefined;
}

/** A partition with the validator for envelopes of its stream. */
export interface WritablePartition extends Partition {
  readonly check: ReturnType<Declaration["getCheck"]>;
  /** Whether its rows come from a table: such rows hold data and never references to blobs. */
  readonly is_table: boolean;
  /** The masked copies of its records, which follow every write. */
  readonly copies: readonly MaskedCopy[];
}

/** A masked copy of a partition's records. */
export interface MaskedCopy extends Partition {
  readonly masks: StreamMasks;
  /** The document up to which the records are copied; null when all are. */
  readonly copied_doc: number | null;
}

interface PartitionRow extends SqlRow {
  part: number;
  connection_id: string;
  stream: string;
  fields: string;
  source_id: string;
  declaration_version: string;
  masks: string | null;
  copied_doc: number | null;
  folding: number | null;
}

const PARTITION_COLUMNS =
  "p.part, p.connection_id, p.stream, p.fields, p.masks, p.copied_doc, p.folding, c.source_id, c.declaration_version";
const PARTITIONS = `parts p JOIN connections c ON c.owner = p.owner AND c.connection_id = p.connection_id`;

export class Catalog {
  readonly declarations = new DeclarationCache();
  readonly #database: Database;
  readonly #owners = new Map<string, number>();
  readonly #secrets = new Map<string, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The owner's number, which starts every key; `not_found` for an unknown owner. */
  async requireOwner(owner_id: string): Promise<number> {
    const known = this.#owners.get(owner_id);
    if (known !== undefined) return known;
    const owner = await this.#database.findOwner(owner_id);
    if (owner === undefined) throw createNoOwner();
    this.#owners.set(owner_id, owner);
    return owner;
  }

  /** A secret of the program, for work on an owner's rows. */
  async findSecret(sql: Sql, name: string): Promise<string | undefined> {
    const value = this.#secrets.get(name) ?? (await sql.readSecret(name));
    if (value !== undefined) this.#secrets.set(name, value);
    return value;
  }

  /** Call it after removing the owner. */
  forgetOwner(owner_id: string): void {
    this.#owners.delete(owner_id);
  }

  /** The partitions that a scope covers. Streams that the scope names but the owner does not have are left out. */
  async listScopedPartitions(context: SqlContext, scope: ReadScope): Promise<ScopedPartition[]> {
    if (scope.streams.length === 0) return [];
    const { sql, owner } = context;
    await requireTagged(context, scope.streams);
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
        (one) =>
          one.connection_id === row.connection_id &&
          one.stream === row.stream &&
          formatMasks(one.masks) === row.masks,
      );
      if (limits && row.copied_doc !== null) throw new ApiError("masking_unfinished");
      const scoped = limits && (await this.#limitPartition(context, row, limits));
      if (scoped) partitions.push(scoped);
    }
    return partitions;
  }

  async #limitPartition(
    context: SqlContext,
    row: PartitionRow,
    scope: StreamScope,
  ): Promise<ScopedPartition | undefined> {
    const partition = await this.#toPartition(context, row);
    const conditions = partition && prepareScope(partition, scope);
    if (!conditions) return undefined;
    // Values folded by a server of another version would compare wrongly, and could reveal a hidden record.
    if (row.folding !== FOLDING && (conditions.length > 0 || scope.within))
      throw new ApiError("rule_unfinished");
    const parents: ScopedParent[] = [];
    for (const within of scope.within ?? []) {
      const field = partition.fieldNames.indexOf(within.foreign_key);
      if (field < 0) return undefined;
      const limits = { ...within, connection_id: row.connection_id, fields: [] };
      const found = await this.#findUnmasked(context, limits);
      parents.push({
        link: field + LINK_FIELDS,
        is_needed: needsParent(within),
        partition: found && (await this.#limitPartition(context, found, limits)),
      });
    }
    return { ...partition, scope, granted: listGranted(partition.shape, scope), conditions, parents };
  }

  async #findUnmasked(
    { sql, owner }: SqlContext,
    { connection_id, stream }: StreamScope,
  ): Promise<PartitionRow | undefined> {
    const [row] = await sql.all<PartitionRow>(
      `SELECT ${PARTITION_COLUMNS} FROM ${PARTITIONS} WHERE p.owner = $1 AND p.connection_id = $2 AND p.stream = $3 AND p.masks IS NULL`,
      [owner, connection_id, stream],
    );
    return row;
  }

  /** The one partition that a request names, if the scope covers it. */
  async findScopedPartition(
    context: SqlContext,
    scope: ReadScope,
    { connection_id, stream }: { connection_id: string; stream: string },
  ): Promise<ScopedPartition | undefined> {
    const streams = scope.streams.filter(
      (one) => one.connection_id === connection_id && one.stream === stream,
    );
    return (await this.listScopedPartitions(context, { ...scope, streams }))[0];
  }

  /** A partition by its id; undefined when its connection's manifest no longer has its stream. */
  async findPartition(context: SqlContext, id: number): Promise<Partition | undefined> {
    const [row] = await context.sql.all<PartitionRow>(
      `SELECT ${PARTITION_COLUMNS} FROM ${PARTITIONS} WHERE p.owner = $1 AND p.part = $2`,
      [context.owner, id],
    );
    return row && this.#toPartition(context, row);
  }

  /** The partition to write a stream's records to, created on first use. Undefined when the manifest has no such stream. */
  async openWritablePartition(
    context: SqlContext<WriteSql>,
    connection_id: string,
    stream: string,
  ): Promise<WritablePartition | undefined> {
    const { sql, owner } = context;
    const [connection] = await sql.all<{ source_id: string; declaration_version: string }>(
      "SELECT source_id, declaration_version FROM connections WHERE owner = $1 AND connection_id = $2",
      [owner, connection_id],
    );
    if (!connection) throw new ApiError("connection_not_found", { param: "connection_id" });
    const { source_id, declaration_version } = connection;
    const declaration = await this.declarations.require(context, source_id, declaration_version);
    const shape = declaration.shapes.get(stream);
    if (!shape) return undefined;
    const { id, fieldNames } = await numberFields(context, connection_id, shape);
    const is_table = TABLE_SOURCE_IDS.includes(source_id);
    const copies = await this.listCopies(context, connection_id, stream);
    const check = declaration.getCheck(stream);
    return { id, connection_id, stream, shape, fieldNames, is_table, copies, check };
  }

  /** The masked copies of a stream's records. */
  async listCopies(context: SqlContext, connection_id: string, stream: string): Promise<MaskedCopy[]> {
    const rows = await context.sql.all<PartitionRow>(
      `SELECT ${PARTITION_COLUMNS} FROM ${PARTITIONS}
       WHERE p.owner = $1 AND p.connection_id = $2 AND p.stream = $3 AND p.masks IS NOT NULL ORDER BY p.part`,
      [context.owner, connection_id, stream],
    );
    const copies: MaskedCopy[] = [];
    for (const row of rows) {
      const partition = await this.#toPartition(context, row);
      if (partition?.masks) copies.push({ ...partition, masks: partition.masks, copied_doc: row.copied_doc });
    }
    return copies;
  }

  async #toPartition(context: SqlContext, row: PartitionRow): Promise<Partition | undefined> {
    const { part: id, connection_id, stream, source_id, declaration_version } = row;
    const declaration = await this.declarations.require(context, source_id, declaration_version);
    const shape = declaration.shapes.get(stream);
    const masks = row.masks === null ? {} : { masks: parseMasks(row.masks) };
    return shape && { id, connection_id, stream, shape, fieldNames: JSON.parse(row.fields), ...masks };
  }
}

/** A parsed manifest: the shape of each stream, and a validator per stream that is compiled on first use. */
export class Declaration {
  readonly shapes: ReadonlyMap<string, StreamShape>;
  readonly #streams: ReadonlyMap<string, ManifestStream>;
  readonly #checks = new Map<string, ReturnType<typeof createRecordCheck>>();

  constructor(manifest: Manifest) {
    this.#streams = new Map(manifest.streams.map((stream) => [stream.name, stream]));
    this.shapes = new Map(manifest.streams.map((stream) => [stream.name, describeStream(stream)]));
  }

  getCheck(stream: string): ReturnType<typeof createRecordCheck> {
    let check = this.#checks.get(stream);
    if (!check) {
      check = createRecordCheck(this.#streams.get(stream) as ManifestStream);
      this.#checks.set(stream, check);
    }
    return check;
  }
}

/** One cache for all owners. */
const DECLARATIONS_MAX = 1_000;

/** Caches declarations: a stored manifest version never changes. */
class DeclarationCache {
  readonly #declarations = new Map<string, Declaration>();

  async require({ sql, owner }: SqlContext, source_id: string, version: string): Promise<Declaration> {
    const key = JSON.stringify([owner, source_id, version]);
    let declaration = this.#declarations.get(key);
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
      if (this.#declarations.size >= DECLARATIONS_MAX) this.#declarations.clear();
      this.#declarations.set(key, declaration);
    }
    return declaration;
  }
}
