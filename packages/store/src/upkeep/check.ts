/** Checks the store's invariants: no dangling references, no texts without chunks, no wrong counts. */

import type { Catalog } from "../catalog/catalog.ts";
import type { Database, Dialect } from "../database.ts";
import type { Store } from "../store.ts";

/** Each statement finds rows that violate an invariant. */
const listProblems = ({ bodyBytes }: Dialect): Readonly<Record<string, string>> => ({
  "a text has no record":
    "SELECT t.doc AS at FROM texts t WHERE t.owner = $1 AND NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = t.owner AND r.doc = t.doc)",
  "a chunk has no text":
    "SELECT c.doc AS at FROM chunks c WHERE c.owner = $1 AND NOT EXISTS (SELECT 1 FROM texts t WHERE t.owner = c.owner AND t.doc = c.doc AND t.text_no = c.text_no)",
  "a text has no chunks":
    "SELECT t.doc AS at FROM texts t WHERE t.owner = $1 AND t.size_chars > 0 AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.owner = t.owner AND c.doc = t.doc AND c.text_no = t.text_no AND c.start_char = 0)",
  "a scalar has no record":
    "SELECT s.doc AS at FROM scalars s WHERE s.owner = $1 AND NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = s.owner AND r.doc = s.doc)",
  "a place in a thread has no record":
    "SELECT t.doc AS at FROM threads t WHERE t.owner = $1 AND NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = t.owner AND r.doc = t.doc)",
  "a record has no partition":
    "SELECT r.doc AS at FROM records r WHERE r.owner = $1 AND NOT EXISTS (SELECT 1 FROM parts p WHERE p.owner = r.owner AND p.part = r.part)",
  "an index segment has no partition":
    "SELECT r.run AS at FROM runs r WHERE r.owner = $1 AND NOT EXISTS (SELECT 1 FROM parts p WHERE p.owner = r.owner AND p.part = r.part)",
  "a blob reference has no record":
    "SELECT b.doc AS at FROM blob_refs b WHERE b.owner = $1 AND NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = b.owner AND r.doc = b.doc)",
  "a blob reference has no blob":
    "SELECT b.doc AS at FROM blob_refs b WHERE b.owner = $1 AND NOT EXISTS (SELECT 1 FROM blobs o WHERE o.owner = b.owner AND o.blob_id = b.blob_id) AND NOT EXISTS (SELECT 1 FROM texts t WHERE t.owner = b.owner AND t.doc = b.doc AND t.path = b.path AND t.kind = 'binary')",
  "a blob's stored bytes differ from its size": `SELECT o.size_bytes AS at FROM blobs o WHERE o.owner = $1 AND o.size_bytes <> (SELECT coalesce(sum(${bodyBytes("c.body")}), 0) FROM blob_chunks c WHERE c.owner = o.owner AND c.blob_no = o.blob_no)`,
  "an index block has no segment":
    "SELECT b.run AS at FROM blocks b WHERE b.owner = $1 AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.owner = b.owner AND r.run = b.run)",
  "an index segment has no blocks":
    "SELECT r.run AS at FROM runs r WHERE r.owner = $1 AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.owner = r.owner AND b.run = r.run)",
  "a row of vectors has no partition":
    "SELECT v.number AS at FROM vectors v WHERE v.owner = $1 AND NOT EXISTS (SELECT 1 FROM parts p WHERE p.owner = v.owner AND p.part = v.part)",
  "a row of vectors is empty":
    "SELECT v.number AS at FROM vectors v WHERE v.owner = $1 AND (v.size = 0 OR v.last_doc < v.first_doc OR length(v.body) <= v.size)",
  "a stored record is marked as deleted in the index":
    "SELECT d.doc AS at FROM dead d WHERE d.owner = $1 AND EXISTS (SELECT 1 FROM records r WHERE r.owner = d.owner AND r.doc = d.doc)",
  "the index has a different number of records than the store": `SELECT p.part AS at FROM parts p WHERE p.owner = $1 AND EXISTS (SELECT 1 FROM runs r WHERE r.owner = p.owner AND r.part = p.part)
       AND (SELECT sum(r.doc_count) FROM runs r WHERE r.owner = p.owner AND r.part = p.part)
         - (SELECT count(*) FROM dead d WHERE d.owner = p.owner AND d.part = p.part)
        <> (SELECT count(*) FROM records r WHERE r.owner = p.owner AND r.part = p.part)`,
});

export function createCheck(database: Database, catalog: Catalog) {
  return {
    async check(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.read(owner, async (sql) => {
        const found: string[] = [];
        for (const [problem, statement] of Object.entries(listProblems(sql.dialect))) {
          const rows = await sql.all<{ at: number }>(`${statement} LIMIT 10`, [owner]);
          if (rows.length > 0) found.push(`${problem}: ${rows.map((row) => row.at).join(", ")}`);
        }
        return found;
      });
    },
  } satisfies Partial<Store>;
}
