/** The calls to try instead of one that failed. */
import { CodedError, type Continuation, formatRecordId, parseRecordId } from "@rungs/evidence";
import { z } from "zod";
import type { ErrorBody } from "../errors/error-body.ts";

const MAX_CHOICES = 10;
const CURSOR_CODES = new Set(["invalid_cursor", "cursor_foreign", "cursor_stale", "cursor_expired"]);
const choicesSchema = z.array(z.looseObject({ connection_id: z.string() }));

/** Lists the calls to try instead of `call`; empty if only a different request helps. */
export function listRetries(error: ErrorBody["error"], call: Continuation): Continuation[] {
  if (CURSOR_CODES.has(error.code)) return without(call, ["cursor"]);
  switch (error.code) {
    case "match_not_found":
      return without(call, ["q", "before_chars", "after_chars"]);
    case "connection_conflict":
      return without(call, ["connection_id"]);
    case "field_not_text":
      return readBytes(error.blob_id);
    case "ambiguous_connection":
      return listChoices(error.available_connections, call);
    default:
      return [];
  }
}

/** The call without the wrong arguments; empty if it had none of them. */
function without({ operation, args }: Continuation, names: readonly string[]): Continuation[] {
  const kept = Object.entries(args).filter(([name]) => !names.includes(name));
  return kept.length === Object.keys(args).length ? [] : [{ operation, args: Object.fromEntries(kept) }];
}

function readBytes(blob_id: unknown): Continuation[] {
  return typeof blob_id === "string" ? [{ operation: "read_blob", args: { blob_id } }] : [];
}

function listChoices(available: unknown, { operation, args }: Continuation): Continuation[] {
  const choices = choicesSchema.safeParse(available).data ?? [];
  return choices
    .slice(0, MAX_CHOICES)
    .map(({ connection_id }) => ({ operation, args: choose(args, connection_id) }));
}

/** Puts the connection into a record's id, so that the choice stays with it (R01); otherwise sets `connection_id`. */
function choose(args: Continuation["args"], connection_id: string): Continuation["args"] {
  const ref = typeof args.id === "string" ? readLegacyId(args.id) : undefined;
  return ref ? { ...args, id: formatRecordId({ ...ref, connection_id }) } : { ...args, connection_id };
}

function readLegacyId(id: string) {
  try {
    return parseRecordId(id);
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}
