import { listAudit } from "@rungs/server";
import type { AuditEntry, StoredAuditEntry } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { readFilter } from "./activity-filter.ts";

const ROWS = 500;
const COLUMNS = [
  "at",
  "client_id",
  "grant_id",
  "operation",
  "status",
  "connection_id",
  "stream",
  "record_id",
  "field",
  "range_start",
  "range_end",
  "records",
  "bytes",
  "request_id",
  "progress",
  "requests",
] as const satisfies readonly (keyof AuditEntry)[];

const FORMATS = {
  csv: { type: "text/csv; charset=utf-8", head: `${COLUMNS.join(",")}\r\n`, write: writeCsv },
  ndjson: { type: "application/x-ndjson", head: "", write: writeJson },
} as const;

/** Exports every row of the audit log that the filter matches, as a file. */
export const exportActivity: Show = async (request) => {
  const format = request.query("format") === "ndjson" ? "ndjson" : "csv";
  const { type, head, write } = FORMATS[format];
  return new Response(ReadableStream.from(writeFile(request, head, write)), {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="rungs-activity.${format}"`,
    },
  });
};

async function* writeFile(
  request: OwnerRequest,
  head: string,
  write: (row: StoredAuditEntry) => string,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  let before_audit_id: number | undefined;
  for (;;) {
    const rows = await listAudit(request.context, { ...readFilter(request), before_audit_id, limit: ROWS });
    if (rows.length > 0) yield Buffer.from(rows.map(write).join(""));
    if (rows.length < ROWS) return;
    before_audit_id = rows.at(-1)?.audit_id;
  }
}

function writeJson({ audit_id: _, ...row }: StoredAuditEntry): string {
  return `${JSON.stringify(row)}\n`;
}

function writeCsv(row: StoredAuditEntry): string {
  return `${COLUMNS.map((column) => writeCell(row[column])).join(",")}\r\n`;
}

/** Quotes a CSV cell (RFC 4180 §2). Text that a spreadsheet would run as a formula gets an apostrophe: clients choose their own names. */
function writeCell(value: string | number | undefined): string {
  const text = typeof value === "string" ? value.replace(/^(?=[=+\-@\t\r])/, "'") : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
