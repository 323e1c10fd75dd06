/** Blobs: bytes under their SHA-256, in rows of bounded size, readable only through a granted field that refers to them. */
import { createHash } from "node:crypto";
import { ApiError, type ReadScope } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { ScopedContext } from "../catalog/scope-sql.ts";
import { withSelected } from "../catalog/selection.ts";
import {
  createTimedId,
  type Database,
  Parameters,
  type SqlContext,
  type SqlRow,
  timedIdBefore,
  type Value,
  type WriteSql,
} from "../database.ts";
import { parseAccount } from "../owners/account.ts";
import { addBytes, createFull } from "../owners/usage.ts";
import { referencesInScope } from "../read/blob-scope.ts";
import { type EncodedBlob, findEncodedBlob, readEncodedBlob } from "../read/encoded-blobs.ts";
import type { BlobFacts, GrantedBlob, OwnerQuota, Store } from "../store.ts";

const BLOB_CHUNK_BYTES = 262_144;
/** A blob with more chunks than this is written while it arrives. Readers see it only once its row in `blobs` exists. */
const HELD_CHUNKS = 8;
const DAY_MS = 86_400_000;

export function createBlobs(database: Database, catalog: Catalog) {
  async function findGranted(scope: ReadScope, blob_id: string): Promise<GrantedBlob | undefined> {
    const owner = await catalog.requireOwner(scope.owner_id);
    return database.read(owner, async (sql) => {
      for (const partition of await catalog.listScopedPartitions({ sql, owner }, scope)) {
        const row = await findReference(await withSelected({ sql, owner, partition }), blob_id);
        if (!row) continue;
        const { record_id, path: field_path, mime_type, size_bytes } = row;
        const via = {
          connection_id: partition.connection_id,
          stream: partition.stream,
          record_id,
          field_path,
        };
        return { blob_id, sha256: blob_id, mime_type, size_bytes, via };
      }
      return undefined;
    });
  }

  return {
    async putBlob(owner_id, connection_id, bytes, mime_type) {
      const owner = await catalog.requireOwner(owner_id);
      const hash = createHash("sha256");
      const blob_no = createTimedId();
      const quota = await readQuota(database, owner);
      let size_bytes = 0;
      let held: Value[][] = [];
      for await (const piece of splitPieces(bytes)) {
        hash.update(piece);
        held.push([owner, blob_no, size_bytes, piece]);
        size_bytes += piece.length;
        if (held.length < HELD_CHUNKS) continue;
        const rows = held;
        held = [];
        // Whether these bytes are already stored is known only at their end: until then, refuse only what can never
        // fit.
        if (size_bytes > (quota.bytes ?? Infinity)) {
          const full = createFull(quota, { records: 0, bytes: 0 }, { records: 0, bytes: size_bytes });
          return endUpload(database, owner, blob_no, full);
        }
        await database.write(owner, (sql) => sql.insert("blob_chunks", rows));
      }
      const blob_id = hash.digest("hex");
      const blob = { blob_id, sha256: blob_id, mime_type, size_bytes };
      const finish = database.write(owner, async (sql) => {
        const stored = await finishBlob({ sql, owner }, blob_no, blob, held, quota);
        await rememberSource({ sql, owner }, blob_id, connection_id);
        return stored;
      });
      return finish.catch((error: unknown) => endUpload(database, owner, blob_no, error));
    },

    async describeBlob(scope, blob_id) {
      const stored = await findGranted(scope, blob_id);
      if (stored) return stored;
      const encoded = await findEncodedBlob(database, catalog, scope, blob_id);
      return encoded && describeEncoded(encoded);
    },

    async *readBlob(scope, blob_id, range) {
      const blob = await findGranted(scope, blob_id);
      if (!blob) {
        const encoded = await findEncodedBlob(database, catalog, scope, blob_id);
        if (encoded) yield* readEncodedBlob(database, catalog, scope, { blob: encoded, ...range });
        return;
      }
      const owner = await catalog.requireOwner(scope.owner_id);
      const end = Math.min(range.end, blob.size_bytes);
      for (let start = range.start; start < end; ) {
        const piece = await database.peek(owner, (sql) => readPiece({ sql, owner }, blob_id, start, end));
        if (piece.length === 0) return;
        yield piece;
        start += piece.length;
      }
    },
  } satisfies Partial<Store>;
}

function describeEncoded({ blob_id, sha256, mime_type, size_bytes, via }: EncodedBlob): GrantedBlob {
  return { blob_id, sha256, mime_type, size_bytes, via };
}

interface Reference extends SqlRow {
  record_id: string;
  path: string;
  mime_type: string;
  size_bytes: number;
}

/** A reference to a stored blob that the scope covers. */
async function findReference(context: ScopedContext, blob_id: string): Promise<Reference | undefined> {
  const parameters = new Parameters();
  const { from, condition } = referencesInScope(context, parameters, blob_id);
  const [row] = await context.sql.all<Reference>(
    `SELECT r.record_id, b.path, o.mime_type, o.size_bytes FROM ${from} CROSS JOIN blobs o
     WHERE ${condition} AND o.owner = b.owner AND o.blob_id = b.blob_id ORDER BY r.record_id, b.path LIMIT 1`,
    parameters.values,
  );
  return row;
}

/** Splits the bytes into chunks of the stored size; only the last may be shorter. */
async function* splitPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const some of bytes) {
    held.push(some);
    size += some.length;
    if (size < BLOB_CHUNK_BYTES) continue;
    const joined = Buffer.concat(held);
    let start = 0;
    for (; size - start >= BLOB_CHUNK_BYTES; start += BLOB_CHUNK_BYTES)
      yield joined.subarray(start, start + BLOB_CHUNK_BYTES);
    held = [joined.subarray(start)];
    size -= start;
  }
  if (size > 0) yield Buffer.concat(held);
}

/** Adds the last chunks and the blob's row, unless the same bytes are stored already. */
async function finishBlob(
  { sql, owner }: SqlContext<WriteSql>,
  blob_no: number,
  blob: BlobFacts,
  rest: readonly Value[][],
  quota: OwnerQuota,
): Promise<BlobFacts> {
  const [stored] = await sql.all<SqlRow & { mime_type: string }>(
    "SELECT mime_type FROM blobs WHERE owner = $1 AND blob_id = $2",
    [owner, blob.blob_id],
  );
  if (stored) {
    await sql.run("DELETE FROM blob_chunks WHERE owner = $1 AND blob_no = $2", [owner, blob_no]);
    return { ...blob, mime_type: stored.mime_type };
  }
  await sql.insert("blob_chunks", rest);
  await sql.insert("blobs", [[owner, blob.blob_id, blob_no, blob.mime_type, blob.size_bytes]]);
  await addBytes({ sql, owner }, blob.size_bytes, quota);
  return blob;
}

async function readQuota(database: Database, owner: number): Promise<OwnerQuota> {
  const [row] = await database.peek(owner, (sql) =>
    sql.all<{ account: string | null }>("SELECT account FROM owners WHERE owner = $1", [owner]),
  );
  return parseAccount(owner, row?.account ?? null).quota;
}

/** Deletes the stored chunks of a file for which there is no room. */
async function endUpload(database: Database, owner: number, blob_no: number, error: unknown): Promise<never> {
  if (error instanceof ApiError && error.code === "quota_exceeded")
    await database.write(owner, (sql) =>
      sql.run("DELETE FROM blob_chunks WHERE owner = $1 AND blob_no = $2", [owner, blob_no]),
    );
  throw error;
}

/** A connection that stored the bytes has them: it may refer to the blob, whoever stored it first. */
async function rememberSource(
  { sql, owner }: SqlContext<WriteSql>,
  blob_id: string,
  connection_id: string,
): Promise<void> {
  const row = [owner, blob_id, connection_id];
  await sql.run("INSERT INTO blob_sources VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", row);
}

async function readPiece(
  { sql, owner }: SqlContext,
  blob_id: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const [row] = await sql.all<{ blob_no: number; start_byte: number; body: Uint8Array }>(
    `SELECT c.blob_no, c.start_byte, c.body FROM blobs b JOIN blob_chunks c ON c.owner = b.owner AND c.blob_no = b.blob_no
     WHERE b.owner = $1 AND b.blob_id = $2 AND c.start_byte <= $3 ORDER BY c.start_byte DESC LIMIT 1`,
    [owner, blob_id, start],
  );
  if (!row) return new Uint8Array(0);
  const { blob_no, start_byte } = row;
  const body = sql.dialect.openBody("blob_chunks", [owner, blob_no, start_byte], row.body);
  return body.subarray(start - start_byte, end - start_byte);
}

/** The blobs that documents refer to. */
export async function listReferredBlobs(
  { sql, owner }: SqlContext,
  docs: readonly number[],
): Promise<string[]> {
  const rows = await sql.all<{ blob_id: string }>(
    `SELECT DISTINCT blob_id FROM blob_refs WHERE owner = $1 AND ${sql.dialect.isAnyNumber("doc", "$2")}`,
    [owner, docs],
  );
  return rows.map(({ blob_id }) => blob_id);
}

/** Deletes those of the blobs that no record refers to. */
export async function deleteUnusedBlobs(
  { sql, owner }: SqlContext<WriteSql>,
  blob_ids: readonly string[],
): Promise<void> {
  if (blob_ids.length === 0) return;
  const unused = `owner = $1 AND ${sql.dialect.isAnyText("blob_id", "$2")}
    AND NOT EXISTS (SELECT 1 FROM blob_refs r WHERE r.owner = blobs.owner AND r.blob_id = blobs.blob_id)`;
  await sql.run(
    `DELETE FROM blob_chunks WHERE owner = $1 AND blob_no IN (SELECT blob_no FROM blobs WHERE ${unused})`,
    [owner, blob_ids],
  );
  const [freed] = await sql.all<{ bytes: number | null }>(
    `SELECT sum(size_bytes) AS bytes FROM blobs WHERE ${unused}`,
    [owner, blob_ids],
  );
  await addBytes({ sql, owner }, -(freed?.bytes ?? 0));
  await sql.run(`DELETE FROM blobs WHERE ${unused}`, [owner, blob_ids]);
  await sql.run(
    `DELETE FROM blob_sources WHERE owner = $1 AND ${sql.dialect.isAnyText("blob_id", "$2")}
       AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.owner = blob_sources.owner AND b.blob_id = blob_sources.blob_id)`,
    [owner, blob_ids],
  );
}

/** Deletes chunks of uploads that started more than a day ago and never finished. */
export async function forgetUnfinishedBlobs({ sql, owner }: SqlContext<WriteSql>): Promise<void> {
  await sql.run(
    `DELETE FROM blob_chunks WHERE owner = $1 AND blob_no < $2
       AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.owner = blob_chunks.owner AND b.blob_no = blob_chunks.blob_no)`,
    [owner, timedIdBefore(Date.now() - DAY_MS)],
  );
}
