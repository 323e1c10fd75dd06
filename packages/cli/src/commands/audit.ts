import { parseTimeMs } from "@rungs/contract";
import { listAudit } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import type { Command } from "../command.ts";
import { asOwner } from "../database.ts";
import { Exit, UsageError } from "../exit.ts";
import { renderTable } from "../table.ts";

const ROWS = 100;

/** `rungs audit`: every read, newest first. */
export const audit: Command = {
  name: "audit",
  about: `Lists who read what and when, newest first, at most ${ROWS} rows.`,
  options: {
    grant: { type: "string", value: "ID", about: "only reads under this grant" },
    client: { type: "string", value: "NAME", about: "only reads of this client" },
    since: { type: "string", value: "TIME", about: "only reads from this time on" },
  },
  async run(call) {
    const { option, flag, io } = call;
    const since = requireTime(option("since"));
    const filter = { grant_id: option("grant"), client_id: option("client"), since, limit: ROWS };
    const rows = await asOwner(call, (parts) => listAudit(parts, filter));
    if (flag("json")) io.out(JSON.stringify({ reads: rows }));
    else
      io.out(
        renderTable(["TIME", "CLIENT", "OPERATION", "STATUS", "WHAT", "RECORDS", "BYTES"], rows.map(rowOf)),
      );
    return Exit.done;
  },
};

function requireTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time_ms = parseTimeMs(text);
  if (time_ms === undefined) throw new UsageError(`--since takes an ISO 8601 time, not ${text}.`);
  return new Date(time_ms).toISOString();
}

function rowOf({ at, client_id, operation, status, records, bytes, ...read }: StoredAuditEntry): string[] {
  return [
    at,
    client_id,
    operation,
    String(status),
    whatOf(read),
    records === undefined ? "" : String(records),
    String(bytes),
  ];
}

function whatOf(read: Partial<StoredAuditEntry>): string {
  const { connection_id = "*", stream = "*", record_id, field, range_start, range_end } = read;
  return [
    `${connection_id}/${stream}${record_id === undefined ? "" : `:${record_id}`}`,
    ...(field === undefined ? [] : [field]),
    ...(range_start === undefined ? [] : [`${range_start}–${range_end}`]),
  ].join(" ");
}
