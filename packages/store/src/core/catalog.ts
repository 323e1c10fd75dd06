/** Owners, manifests, connections, and the parts (one for each stream of a connection) that records are kept in. */
import {
  ApiError,
  type Manifest,
  type ManifestStream,
  type ReadScope,
  type StreamScope,
  type StreamShape,
  createRecordCheck,
  describeStream,
} from "@rungs/contract";
import type { Database, Row, Sql, WriteSql } from "../database.ts";
import type { Connection, Store } from "../store.ts";

/** A stream of a connection as it is stored: its number, its declaration, its fields' numbers. */
export interface Part {
  readonly part: number;
  readonly connection_id: string;
  readonly stream: string;
  readonly shape: StreamShape;
  /** A field's number is its place here; names are only ever added. */
  readonly fieldNames: readonly string[];
}

/** A part as far as a scope covers it. */
export interface ScopedPart extends Part {
  readonly scope: StreamScope;
  /** The granted fields that the stream declares. */
  readonly granted: ReadonlySet<string>;
}

interface PartRow extends Record<string, string | number> {
  part: number;
  connection_id: string;
  stream: string;
  fields: string;
  source_id: string;
  declaration_version: string;
}

const PART_COLUMNS = "p.part, p.connection_id, p.stream, p.fields, c.source_id, c.declaration_version";
const PARTS = `parts p JOIN connections c ON c.owner = p.owner AND c.connection_id = p.connection_id`;

/** A field's number is one byte in index keys. */
const MAX_FIELDS = 256;

export type Catalog = ReturnType<typeof createCatalog>;

export function createCatalog(database: Database) {
  const owners = new Map<string, number>();
  /** Manifests never change once stored, so what is made of them is kept. */
  const declarations = new Map<string, Declaration>();

  async function ownerNumber(owner_id: string): Promise<number> {
    const known = owners.get(owner_id);
    if (known !== undefined) return known;
    const [row] = await database.peek((sql) => sql.all<{ owner: number }>("SELECT owner FROM owners WHERE owner_id = $1", [owner_id]));
    if (!row) throw new ApiError("not_found", { message: "There is no such owner." });
    owners.set(owner_id, row.owner);
    return row.owner;
  }

  async function declarationOf(sql: Sql, owner: number, source_id: string, version: string): Promise<Declaration> {
    const key = JSON.stringify([owner, source_id, version]);
    let declaration = declarations.get(key);
    if (!declaration) {
      const [row] = await sql.all<{ body: string }>(
        "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
        [owner, source_id, version],
      );
      if (!row) throw new ApiError("invalid_manifest", { message: "The connection's manifest is not stored.", param: "declaration_version" });
      declaration = new Declaration(JSON.parse(row.body) as Manifest);
      declarations.set(key, declaration);
    }
    return declaration;
  }

  async function toPart(sql: Sql, owner: number, row: PartRow): Promise<Part | undefined> {
    const declaration = await declarationOf(sql, owner, row.source_id, row.declaration_version);
    const shape = declaration.shapes.get(row.stream);
    return shape && { part: row.part, connection_id: row.connection_id, stream: row.stream, shape, fieldNames: JSON.parse(row.fields) };
  }

  return {
    ownerNumber,

    /** The parts that a scope covers, each with its limits. What the scope names and is not there is left out. */
    async scopedParts(sql: Sql, owner: number, scope: ReadScope): Promise<ScopedPart[]> {
      if (scope.streams.length === 0) return [];
      const rows = await sql.all<PartRow>(
        `SELECT ${PART_COLUMNS} FROM ${PARTS} WHERE p.owner = $1 AND ${sql.dialect.isAnyText("p.connection_id", "$2")} AND ${sql.dialect.isAnyText("p.stream", "$3")} ORDER BY p.connection_id, p.stream`,
        [owner, [...new Set(scope.streams.map((one) => one.connection_id))], [...new Set(scope.streams.map((one) => one.stream))]],
      );
      const parts: ScopedPart[] = [];
      for (const row of rows) {
        const limits = scope.streams.find((one) => one.connection_id === row.connection_id && one.stream === row.stream);
        const part = limits && (await toPart(sql, owner, row));
        if (part) parts.push({ ...part, scope: limits, granted: grantedFields(part.shape, limits) });
      }
      return parts;
    },

    /** The one part that a request names, if the scope covers it. */
    async scopedPart(sql: Sql, owner: number, scope: ReadScope, at: { connection_id: string; stream: string }): Promise<ScopedPart | undefined> {
      const streams = scope.streams.filter((one) => one.connection_id === at.connection_id && one.stream === at.stream);
      return (await this.scopedParts(sql, owner, { ...scope, streams }))[0];
    },

    /** The part for a stream that is written to; made when it is new. Undefined when the manifest has no such stream. */
    async writablePart(sql: WriteSql, owner: number, connection_id: string, stream: string): Promise<WritablePart | undefined> {
      const [connection] = await sql.all<{ source_id: string; declaration_version: string }>(
        "SELECT source_id, declaration_version FROM connections WHERE owner = $1 AND connection_id = $2",
        [owner, connection_id],
      );
      if (!connection) throw new ApiError("connection_not_found", { param: "connection_id" });
      const declaration = await declarationOf(sql, owner, connection.source_id, connection.declaration_version);
      const shape = declaration.shapes.get(stream);
      if (!shape) return undefined;
      const { part, fieldNames } = await numberFields(sql, owner, connection_id, shape);
      return { part, connection_id, stream, shape, fieldNames, check: declaration.checkOf(stream) };
    },

    methods: {
      async putOwner(owner_id) {
        await database.write(0, async (sql) => {
          const [row] = await sql.all("SELECT owner FROM owners WHERE owner_id = $1", [owner_id]);
          if (row) return;
          const [last] = await sql.all<{ last: number | null }>("SELECT max(owner) AS last FROM owners");
          await sql.insert("owners", [[(last?.last ?? 0) + 1, owner_id, 1, 1, 1, 1, 0]]);
        });
      },
      async listOwners() {
        const rows = await database.peek((sql) => sql.all<{ owner_id: string }>("SELECT owner_id FROM owners WHERE owner > 0 ORDER BY owner"));
        return rows.map((row) => row.owner_id);
      },
      async putManifest(owner_id, manifest) {
        const owner = await ownerNumber(owner_id);
        const body = JSON.stringify(manifest);
        await database.write(owner, async (sql) => {
          const version = [owner, manifest.source.id, manifest.declaration_version];
          const [stored] = await sql.all<{ body: string }>(
            "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
            version,
          );
          if (!stored) await sql.insert("manifests", [[...version, body]]);
          else if (stored.body !== body) throw new ApiError("manifest_conflict", { param: "declaration_version" });
        });
      },
      async getManifest(owner_id, source_id, declaration_version) {
        const owner = await ownerNumber(owner_id);
        const [row] = await database.peek((sql) =>
          sql.all<{ body: string }>(
            "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
            [owner, source_id, declaration_version],
          ),
        );
        return row && (JSON.parse(row.body) as Manifest);
      },
      async listManifests(owner_id) {
        const owner = await ownerNumber(owner_id);
        return database.peek((sql) =>
          sql.all<{ source_id: string; declaration_version: string }>("SELECT source_id, declaration_version FROM manifests WHERE owner = $1 ORDER BY source_id, declaration_version", [owner]),
        );
      },
      async putConnection(owner_id, connection) {
        const owner = await ownerNumber(owner_id);
        const { connection_id, source_id, declaration_version, display_name } = connection;
        await database.write(owner, async (sql) => {
          const declaration = await declarationOf(sql, owner, source_id, declaration_version);
          const [stored] = await sql.all<{ source_id: string }>(
            "SELECT source_id FROM connections WHERE owner = $1 AND connection_id = $2",
            [owner, connection_id],
          );
          if (stored && stored.source_id !== source_id) throw new ApiError("connection_exists", { param: "connection_id" });
          if (stored) {
            await sql.run(
              "UPDATE connections SET declaration_version = $3, display_name = $4 WHERE owner = $1 AND connection_id = $2",
              [owner, connection_id, declaration_version, display_name],
            );
          } else {
            await sql.insert("connections", [[owner, connection_id, source_id, declaration_version, display_name, new Date().toISOString()]]);
          }
          for (const shape of declaration.shapes.values()) await numberFields(sql, owner, connection_id, shape);
        });
      },
      async listConnections(owner_id) {
        const owner = await ownerNumber(owner_id);
        return database.peek((sql) =>
          sql.all<Row & Connection>("SELECT connection_id, source_id, declaration_version, display_name, created_at FROM connections WHERE owner = $1 ORDER BY connection_id", [owner]),
        );
      },
    } satisfies Partial<Store>,
  };
}

export interface WritablePart extends Part {
  readonly check: ReturnType<typeof createRecordCheck>;
}

/** What is made of a manifest once. */
class Declaration {
  readonly shapes: ReadonlyMap<string, StreamShape>;
  readonly #streams: ReadonlyMap<string, ManifestStream>;
  readonly #checks = new Map<string, ReturnType<typeof createRecordCheck>>();

  constructor(manifest: Manifest) {
    this.#streams = new Map(manifest.streams.map((stream) => [stream.name, stream]));
    this.shapes = new Map(manifest.streams.map((stream) => [stream.name, describeStream(stream)]));
  }

  checkOf(stream: string): ReturnType<typeof createRecordCheck> {
    let check = this.#checks.get(stream);
    if (!check) {
      check = createRecordCheck(this.#streams.get(stream) as ManifestStream);
      this.#checks.set(stream, check);
    }
    return check;
  }
}

/** Makes the part if it is new, and gives numbers to fields that have none. */
async function numberFields(sql: WriteSql, owner: number, connection_id: string, shape: StreamShape): Promise<{ part: number; fieldNames: string[] }> {
  const names = shape.fields.map((field) => field.name);
  const [row] = await sql.all<{ part: number; fields: string }>(
    "SELECT part, fields FROM parts WHERE owner = $1 AND connection_id = $2 AND stream = $3",
    [owner, connection_id, shape.name],
  );
  if (!row) {
    const [last] = await sql.all<{ last: number | null }>("SELECT max(part) AS last FROM parts WHERE owner = $1", [owner]);
    const part = (last?.last ?? 0) + 1;
    await sql.insert("parts", [[owner, part, connection_id, shape.name, JSON.stringify(names)]]);
    return { part, fieldNames: names };
  }
  const fieldNames = JSON.parse(row.fields) as string[];
  const added = names.filter((name) => !fieldNames.includes(name));
  if (added.length > 0) {
    fieldNames.push(...added);
    if (fieldNames.length > MAX_FIELDS) throw new ApiError("invalid_manifest", { message: `A stream has at most ${MAX_FIELDS} fields over all its versions.` });
    await sql.run("UPDATE parts SET fields = $3 WHERE owner = $1 AND part = $2", [owner, row.part, JSON.stringify(fieldNames)]);
  }
  return { part: row.part, fieldNames };
}

function grantedFields(shape: StreamShape, scope: StreamScope): Set<string> {
  const declared = new Set(shape.fields.map((field) => field.name));
  return new Set(scope.fields.filter((field) => declared.has(field)));
}
