/** The conversations of agents: reads of one client under one grant without a long pause between them. */
import { describeEvent } from "@rungs/server";
import type { StoredAuditEntry } from "@rungs/store";
import { isDenied } from "./request-words.ts";

const PAUSE_MS = 30 * 60 * 1000;

/** One conversation, from its first read to its last. */
export interface Conversation {
  readonly client_id: string;
  readonly grant_id: string | undefined;
  readonly from: StoredAuditEntry;
  readonly to: StoredAuditEntry;
  readonly requests: number;
  readonly searches: number;
  readonly refused: number;
  readonly bytes: number;
}

/** Groups rows, newest first, into conversations, newest first. Events such as a new grant belong to none. */
export function findConversations(rows: readonly StoredAuditEntry[]): Conversation[] {
  const reads = rows.filter(({ operation }) => describeEvent(operation) === undefined);
  const groups = Map.groupBy(reads, ({ client_id, grant_id = "" }) => JSON.stringify([client_id, grant_id]));
  const found = [...groups.values()].flatMap((group) => splitAtPauses(group).map(describe));
  return found.sort((a, b) => b.to.audit_id - a.to.audit_id);
}

function splitAtPauses(rows: readonly StoredAuditEntry[]): StoredAuditEntry[][] {
  const parts: StoredAuditEntry[][] = [];
  for (const row of rows) {
    const part = parts.at(-1);
    const later = part?.at(-1);
    if (part && later && Date.parse(later.at) - Date.parse(row.at) <= PAUSE_MS) part.push(row);
    else parts.push([row]);
  }
  return parts;
}

function describe(rows: readonly StoredAuditEntry[]): Conversation {
  const [to, from] = [rows[0]!, rows.at(-1)!];
  const requests = [...Map.groupBy(rows, ({ request_id }) => request_id).values()].map(([first]) => first!);
  return {
    client_id: to.client_id,
    grant_id: to.grant_id,
    from,
    to,
    requests: requests.length,
    searches: requests.filter(({ operation }) => operation === "search").length,
    refused: requests.filter(({ status }) => isDenied(status)).length,
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
