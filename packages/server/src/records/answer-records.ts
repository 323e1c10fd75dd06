/** Answers with records: as one document or, when a record has long values, as a stream of the same document. */
import type { AuditedRead } from "../access/audit-log.ts";
import { encodeChunks } from "../answer/encode-chunks.ts";
import { writeConsistentLine } from "../export/consistent-line.ts";
import type { OperationAnswer } from "../operations/handler.ts";
import { StreamedData, writeJson } from "./streamed-data.ts";

/** A record, or an answer with a list of records. */
type RecordsBody = { readonly data?: unknown };

/** Answers with the body that `load` returns; it is loaded again when a record changes before its values are read. */
export async function answerRecords<Body extends RecordsBody>(
  load: () => Promise<Body>,
  listReads: (body: Body) => readonly AuditedRead[],
): Promise<OperationAnswer<Body>> {
  const body = await load();
  const reads = listReads(body);
  if (!hasStreamed(body)) return { kind: "json", body, reads };
  const pieces = await writeConsistentLine(body, writeJson, load);
  return {
    kind: "stream",
    status: 200,
    headers: { "Content-Type": "application/json" },
    chunks: encodeChunks(pieces ?? writeJson(body)),
    reads: () => reads,
  };
}

function hasStreamed({ data }: RecordsBody): boolean {
  return Array.isArray(data) ? data.some(hasStreamed) : data instanceof StreamedData;
}
