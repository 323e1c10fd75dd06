/** The sizes of an owner's streams: text by a sample of records, files exactly. */
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, Sql, SqlRow } from "../database.ts";
import type { Store } from "../store.ts";

/** Records of each stream that are measured. */
const SAMPLE_RECORDS = 400;

interface Part extends SqlRow {
  part: number;
  stream: string;
}

interface Sample extends SqlRow {
  records: number | string;
  bytes: number | string;
}

const SAMPLE = `SELECT count(*) AS records, coalesce(sum(octet_length(s.data) + coalesce(
    (SELECT sum(t.size_bytes) FROM texts t WHERE t.owner = $1 AND t.doc = s.doc), 0)), 0) AS bytes
  FROM (SELECT r.data, r.doc FROM records r WHERE r.owner = $1 AND r.part = $2 LIMIT ${SAMPLE_RECORDS}) s`;
const FILES = `SELECT coalesce(sum(b.size_bytes), 0) AS bytes FROM blobs b WHERE b.owner = $1 AND b.blob_id IN
  (SELECT r.blob_id FROM blob_refs r WHERE r.owner = $1 AND r.part = $2)`;

export function createStreamSizes(database: Database, catalog: Catalog) {
  return {
    async measureStreams(owner_id, connection_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.peek(owner, async (sql) => {
        const parts = await sql.all<Part>(
          "SELECT part, stream FROM parts WHERE owner = $1 AND connection_id = $2 AND masks IS NULL ORDER BY stream",
          [owner, connection_id],
        );
        const sizes = [];
        for (const { part, stream } of parts) {
          sizes.push({ connection_id, stream, ...(await measure(sql, owner, part)) });
        }
        return sizes;
      });
    },
  } satisfies Partial<Store>;
}

async function measure(sql: Sql, owner: number, part: number) {
  const [sample] = await sql.all<Sample>(SAMPLE, [owner, part]);
  const [files] = await sql.all<Sample>(FILES, [owner, part]);
  return {
    measured_records: Number(sample?.records ?? 0),
    measured_bytes: Number(sample?.bytes ?? 0),
    file_bytes: Number(files?.bytes ?? 0),
  };
}
