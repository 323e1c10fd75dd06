/** Blobs: bytes under their SHA-256, in rows of bounded size, readable only through a granted field that refers to them. */
import { createHash } from "node:crypto";
import type { ReadScope } from "@rungs/contract";
import { type Database, Parameters, type Row, type Sql, type WriteSql } from "../database.ts";
import type { BlobFacts, GrantedBlob, Store } from "../store.ts";
import type { Catalog } from "./catalog.ts";
import { docInScope } from "./scope-sql.ts";

const BLOB_CHUNK_BYTES = 262_144;

export function createBlobs(database: Database, catalog: Catalog) {
  async function findGranted(scope: ReadScope, blob_id: string): Promise<GrantedBlob | undefined> {
    const owner = await catalog.ownerNumber(scope.owner_id);
    return database.read(async (sql) => {
      for (const part of await catalog.scopedParts(sql, owner, scope)) {
        const parameters = new Parameters();
        const [row] = await sql.all<{
          record_id: string;
          path: string;
          mime_type: string;
          size_bytes: number;
        }>(
          `SELECT r.record_id, b.path, o.mime_type, o.size_bytes FROM blob_refs b
             JOIN records r ON r.doc = b.doc AND ${docInScope(sql.dialect, parameters, owner, part, "r")}
             JOIN blobs o ON o.owner = b.owner AND o.blob_id = b.blob_id
           WHERE b.owner = ${parameters.add(owner)} AND b.blob_id = ${parameters.add(blob_id)} AND ${sql.dialect.isAnyText("b.field", parameters.add([...part.granted]))}
           ORDER BY r.record_id, b.path LIMIT 1`,
          parameters.values,
        );
        if (!row) continue;
        const { record_id, path: field_path, mime_type, size_bytes } = row;
        const via = { connection_id: part.connection_id, stream: part.stream, record_id, field_path };
        return { blob_id, sha256: blob_id, mime_type, size_bytes, via };
      }
      return undefined;
    });
  }

  return {
    async putBlob(owner_id, bytes, mime_type) {
      const owner = await catalog.ownerNumber(owner_id);
      const { blob_id, size_bytes, pieces } = await digest(bytes);
      return database.write(owner, (sql) =>
        storeBlob(sql, owner, { blob_id, sha256: blob_id, mime_type, size_bytes }, pieces),
      );
    },

    describeBlob: findGranted,

    async *readBlob(scope, blob_id, range) {
      const blob = await findGranted(scope, blob_id);
      if (!blob) return;
      const owner = await catalog.ownerNumber(scope.owner_id);
      const end = Math.min(range.end, blob.size_bytes);
      for (let start = range.start; start < end; ) {
        const piece = await database.peek((sql) => readPiece(sql, owner, blob_id, start, end));
        if (piece.length === 0) return;
        yield piece;
        start += piece.length;
      }
    },
  } satisfies Partial<Store>;
}

/** The blob's id, and its bytes in pieces as they will be stored. */
async function digest(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ blob_id: string; size_bytes: number; pieces: Buffer[] }> {
  const hash = createHash("sha256");
  const pieces: Buffer[] = [];
  let rest = Buffer.alloc(0);
  let size_bytes = 0;
  for await (const some of bytes) {
    hash.update(some);
    size_bytes += some.length;
    rest = Buffer.concat([rest, some]);
    for (; rest.length >= BLOB_CHUNK_BYTES; rest = rest.subarray(BLOB_CHUNK_BYTES))
      pieces.push(rest.subarray(0, BLOB_CHUNK_BYTES));
  }
  if (rest.length > 0) pieces.push(rest);
  return { blob_id: hash.digest("hex"), size_bytes, pieces };
}

async function storeBlob(
  sql: WriteSql,
  owner: number,
  blob: BlobFacts,
  pieces: readonly Buffer[],
): Promise<BlobFacts> {
  const [stored] = await sql.all<Row & { mime_type: string }>(
    "SELECT mime_type FROM blobs WHERE owner = $1 AND blob_id = $2",
    [owner, blob.blob_id],
  );
  if (stored) return { ...blob, mime_type: stored.mime_type };
  await sql.insert("blobs", [[owner, blob.blob_id, blob.mime_type, blob.size_bytes]]);
  for (const [number, piece] of pieces.entries()) {
    await sql.insert("blob_chunks", [[owner, blob.blob_id, number * BLOB_CHUNK_BYTES, piece]]);
  }
  return blob;
}

async function readPiece(
  sql: Sql,
  owner: number,
  blob_id: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const [row] = await sql.all<{ start_byte: number; body: Uint8Array }>(
    "SELECT start_byte, body FROM blob_chunks WHERE owner = $1 AND blob_id = $2 AND start_byte <= $3 ORDER BY start_byte DESC LIMIT 1",
    [owner, blob_id, start],
  );
  return row ? row.body.subarray(start - row.start_byte, end - row.start_byte) : new Uint8Array(0);
}
