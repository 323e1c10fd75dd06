import type { ReadScope } from "@rungs/contract";
import type { Store, StoredRecord } from "@rungs/store";
import type { Source, Sources } from "../access/authority.ts";
import { labelRecord, linkBlobs } from "../records/outgoing-record.ts";
import { writeConsistentLine } from "./consistent-line.ts";
import { writeData } from "./write-data.ts";

/** How many records are in memory at once. */
const PAGE_RECORDS = 50;

/** How many records of one stream were written, and how many bytes they took. */
export interface StreamCount {
  readonly connection_id: string;
  readonly stream: string;
  records: number;
  bytes: number;
}

/** What an export reads: the records of a scope that existed at the horizon. */
export interface ExportSource {
  readonly scope: ReadScope;
  /** The position in the change log at which the export started. */
  readonly horizon: number;
  readonly sources: Sources;
  readonly store: Store;
}

/** Creates the counts of an export, one for each stream of its scope. */
export function createCounts({ streams }: ReadScope): StreamCount[] {
  return streams.map(({ connection_id, stream }) => ({ connection_id, stream, records: 0, bytes: 0 }));
}

/** Writes every record of a scope as one line, in pieces, and counts them; the last line holds the total. */
export async function* writeExport(
  from: ExportSource,
  counts: readonly StreamCount[],
): AsyncGenerator<string> {
  for (const count of counts) {
    const source = from.sources.get(count.connection_id);
    if (!source) continue;
    for await (const piece of writeStream(from, source, count)) {
      count.bytes += Buffer.byteLength(piece);
      yield piece;
    }
  }
  const record_count = counts.reduce((sum, { records }) => sum + records, 0);
  yield `${JSON.stringify({ object: "export_end", record_count })}\n`;
}

async function* writeStream(
  { scope, horizon, store }: ExportSource,
  source: Source,
  count: StreamCount,
): AsyncGenerator<string> {
  const { connection_id, stream } = count;
  const request = { connection_id, stream, order: "asc", limit: PAGE_RECORDS, horizon } as const;
  const write = (record: StoredRecord) => writeLine(record, scope, source, store);
  const readAgain = (record: StoredRecord) => store.getRecord(scope, record);
  let page = await store.listRecords(scope, request);
  for (;;) {
    for (const record of page.records) {
      const line = await writeConsistentLine(record, write, readAgain);
      if (!line) continue;
      // Charge it before its first piece is sent: a budget counts anything shown in part.
      count.records += 1;
      yield* line;
    }
    if (!page.next) return;
    page = await store.listRecords(scope, { ...request, after: page.next });
  }
}

async function* writeLine(
  record: StoredRecord,
  scope: ReadScope,
  source: Source,
  store: Store,
): AsyncGenerator<string> {
  const head = JSON.stringify(labelRecord(record, { source }));
  yield `${head.slice(0, -1)},"data":`;
  const linked = { ...record, data: linkBlobs(record.data) as Record<string, unknown> };
  yield* writeData(linked, (path, range) => store.readField(scope, record, path, range));
  yield "}\n";
}
