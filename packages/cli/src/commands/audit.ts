import { describeEvent, listAudit, setAuditDays } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { requireDurationMs, requirePastTime } from "../command/option-values.ts";
import { renderTable } from "../command/table.ts";
import { asOwner, readAsOwner } from "../home/database.ts";

const ROWS = { default: 100, max: 1_000 } as const;
const DAY_MS = 86_400_000;
const HEADINGS = ["TIME", "CLIENT", "OPERATION", "STATUS", "WHAT", "RECORDS", "BYTES"];

/** `rungs audit`: the audit log, newest first: every read, and every change of who may read. */
export const audit: Command = {
  options: {
    grant: { type: "string", value: "ID", about: "only rows of this grant" },
    client: {
      type: "string",
      value: "NAME",
      about: "only rows of this client; owner and console are yourself",
    },
    since: { type: "string", value: "TIME", about: "only rows since this time; 7d means a week ago" },
    limit: { type: "string", value: "N", about: "how many rows; 100 by default, at most 1000" },
    before: {
      type: "string",
      value: "N",
      about: "only rows before this one, as the last line of output says",
    },
    keep: {
      type: "string",
      value: "TIME",
      about: "keep rows this long from now on, such as 90d, and delete older ones; 400d by default",
    },
  },
  async run(call) {
    const { option, flag, io } = call;
    const keep = option("keep");
    if (keep !== undefined) return keepRows(call, keep);
    const since = requirePastTime(option("since"), "since");
    const before_audit_id = requireNumber(option("before"), "before", Number.MAX_SAFE_INTEGER);
    const limit = requireNumber(option("limit"), "limit", ROWS.max) ?? ROWS.default;
    const filter = { grant_id: option("grant"), client_id: option("client"), since, before_audit_id };
    const found = await readAsOwner(call, (owner) => listAudit(owner, { ...filter, limit: limit + 1 }));
    const rows = found.slice(0, limit);
    const next_before = found.length > limit ? rows.at(-1)?.audit_id : undefined;
    if (flag("json")) io.out(JSON.stringify({ reads: rows, next_before }));
    else io.out([renderTable(HEADINGS, rows.map(listCells)), ...renderMore(next_before)].join("\n"));
    return Exit.done;
  },
};

async function keepRows(call: CommandCall, text: string): Promise<number> {
  const days = requireDurationMs(text, "keep") / DAY_MS;
  if (days < 1) throw new UsageError(`--keep takes a day or more, such as 90d, not ${text}.`);
  const deleted = await asOwner(call, (owner) => setAuditDays(owner, days));
  const { io, flag } = call;
  if (flag("json")) io.out(JSON.stringify({ days, deleted }));
  else io.out(`Rows of the audit log are kept for ${days} days; ${deleted} older ones were deleted.`);
  return Exit.done;
}

function requireNumber(text: string | undefined, option: string, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max))
    throw new UsageError(`--${option} takes a whole number from 1 to ${max}, not ${text}.`);
  return number;
}

function renderMore(next_before: number | undefined): string[] {
  return next_before === undefined ? [] : [`There are more: repeat the command with --before ${next_before}`];
}

function listCells({
  at,
  client_id,
  operation,
  status,
  records,
  bytes,
  ...read
}: StoredAuditEntry): string[] {
  return [
    at,
    client_id,
    operation,
    String(status),
    [describeTarget(operation, read), ...describeProgress(read)].join("  "),
    records === undefined ? "" : String(records),
    String(bytes),
  ];
}

/** What else matters about a row: whether its stream completed, and how many requests it stands for. */
function describeProgress({ progress, requests }: Partial<StoredAuditEntry>): string[] {
  return [
    ...(progress === "begun" ? ["not finished: still open, or the program was stopped"] : []),
    ...(progress === "broken" ? ["broken off"] : []),
    ...(requests === undefined ? [] : [`${requests} more such requests`]),
  ];
}

function describeTarget(operation: string, read: Partial<StoredAuditEntry>): string {
  const event = describeEvent(operation);
  if (event !== undefined) return [event, ...(read.grant_id === undefined ? [] : [read.grant_id])].join("  ");
  const { connection_id = "*", stream = "*", record_id, field, range_start, range_end } = read;
  return [
    `${connection_id}/${stream}${record_id === undefined ? "" : `:${record_id}`}`,
    ...(field === undefined ? [] : [field]),
    ...(range_start === undefined ? [] : [`${range_start}–${range_end}`]),
  ].join(" ");
}
