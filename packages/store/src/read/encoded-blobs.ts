/** Bytes that a string of a record encodes, as a blob: decoded from the characters that hold them, never stored twice (R33). */
import type { ReadScope } from "@rungs/contract";
import { createDecoder, locateByte } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import { withSelected } from "../catalog/selection.ts";
import { type Database, Parameters } from "../database.ts";
import type { GrantedBlob, StoredBytes, StoredCut } from "../store.ts";
import { referencesInScope } from "./blob-scope.ts";
import { findPlace, readStored } from "./field-text.ts";

const PIECE_CHARS = 65_536;

/** A granted value that encodes bytes. */
export interface EncodedBlob extends GrantedBlob {
  readonly form: StoredBytes;
  readonly size_chars: number;
  readonly digest: string;
}

/** Finds a granted field whose string encodes the bytes with this SHA-256. */
export async function findEncodedBlob(
  database: Database,
  catalog: Catalog,
  scope: ReadScope,
  blob_id: string,
): Promise<EncodedBlob | undefined> {
  const owner = await catalog.requireOwner(scope.owner_id);
  return database.read(owner, async (sql) => {
    for (const partition of await catalog.listScopedPartitions({ sql, owner }, scope)) {
      const parameters = new Parameters();
      const { from, condition } = referencesInScope(
        await withSelected({ sql, owner, partition }),
        parameters,
        blob_id,
      );
      const [row] = await sql.all<{ record_id: string; path: string; cuts: string }>(
        `SELECT r.record_id, b.path, r.cuts FROM ${from} CROSS JOIN texts t
         WHERE ${condition} AND t.owner = b.owner AND t.doc = b.doc AND t.path = b.path AND t.kind = 'binary'
         ORDER BY r.record_id, b.path LIMIT 1`,
        parameters.values,
      );
      const cut = row && (JSON.parse(row.cuts) as StoredCut[]).find(({ path }) => path === row.path);
      if (!row || !cut?.bytes) continue;
      const { connection_id, stream } = partition;
      const { mime_type, size_bytes } = cut.bytes;
      const via = { connection_id, stream, record_id: row.record_id, field_path: row.path };
      const { size_chars, digest } = cut;
      return { blob_id, sha256: blob_id, mime_type, size_bytes, via, form: cut.bytes, size_chars, digest };
    }
    return undefined;
  });
}

/** The bytes `start` to `end` of such a value; ends early when the value changes or leaves the scope. */
export async function* readEncodedBlob(
  database: Database,
  catalog: Catalog,
  scope: ReadScope,
  { blob, start, end }: { readonly blob: EncodedBlob; readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  const owner = await catalog.requireOwner(scope.owner_id);
  const place = await findPlace({ database, catalog, owner }, scope, blob.via, blob.via.field_path);
  const { start_chars, skip_bytes } = locateByte(blob.form, start);
  const decode = createDecoder(blob.form);
  let skipped = skip_bytes;
  let left = Math.min(end, blob.size_bytes) - start;
  for (let at = start_chars; place && left > 0 && at < blob.size_chars; ) {
    const range = { start: at, end: at + Math.min(PIECE_CHARS, countCharsFor(left + skipped)) };
    const slice = await database.peek(owner, (sql) => readStored({ sql, owner }, place, range));
    if (slice?.digest !== blob.digest) return;
    const bytes = decode(slice.text);
    const piece = bytes.subarray(skipped, skipped + left);
    skipped = Math.max(0, skipped - bytes.length);
    left -= piece.length;
    if (piece.length > 0) yield piece;
    at = range.end;
  }
}

/** Enough characters for this many bytes in any encoding, with line breaks: a short range reads little. */
function countCharsFor(bytes: number): number {
  return bytes * 2 + 64;
}
