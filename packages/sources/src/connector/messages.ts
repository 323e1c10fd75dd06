/** The messages of a connector (Collection Profile §3), one on each line. */
import { ApiError, type ByteLine, recordEnvelopeSchema } from "@rungs/contract";
import { z } from "zod";

const text = z.string();
const keySchema = z.union([z.string(), z.number()]);

const actionSchema = z.enum([
  "retry_by_runtime",
  "retry_on_connector_upgrade",
  "refresh_credentials",
  "manual_action_required",
  "update_selector",
  "upstream_unblock",
  "not_retriable",
  "unknown",
]);
const hintSchema = z.union([
  actionSchema,
  z.looseObject({ action: actionSchema, retryable: z.boolean().optional() }),
]);

const messageSchema = z.discriminatedUnion("type", [
  // The envelope is checked when it is stored: one wrong record does not end the run.
  z.looseObject({ type: z.literal("RECORD"), stream: text }),
  z.looseObject({ type: z.literal("STATE"), stream: text, cursor: z.record(z.string(), z.unknown()) }),
  z.looseObject({
    type: z.literal("INTERACTION"),
    request_id: text.min(1).max(256),
    kind: z.enum(["credentials", "otp", "manual_action"]),
    message: text,
    schema: z.looseObject({}).optional(),
    timeout_seconds: z.number().positive().optional(),
  }),
  z.looseObject({
    type: z.literal("SKIP_RESULT"),
    stream: text.optional(),
    reason: text.optional(),
    message: text.optional(),
    recovery_hint: hintSchema.optional(),
  }),
  z.looseObject({
    type: z.literal("DETAIL_COVERAGE"),
    reference_only: z.literal(true),
    stream: text,
    state_stream: text,
    required_keys: z.array(keySchema),
    hydrated_keys: z.array(keySchema),
    gap_keys: z.array(keySchema).optional(),
  }),
  z.looseObject({
    type: z.literal("DETAIL_GAP"),
    stream: text,
    parent_stream: text.optional(),
    record_key: keySchema.optional(),
  }),
  z.looseObject({
    type: z.literal("PROGRESS"),
    stream: text.optional(),
    message: text,
    count: z.number().optional(),
    total: z.number().optional(),
  }),
  z.looseObject({
    type: z.literal("DONE"),
    status: z.enum(["succeeded", "failed", "cancelled"]),
    records_emitted: z.int().min(0),
    error: z
      .looseObject({
        code: z
          .string()
          .regex(/^[a-z][a-z0-9_]{0,63}$/)
          .optional(),
        message: text,
        retryable: z.boolean(),
        recovery_hint: hintSchema.optional(),
      })
      .optional(),
  }),
]);

/** A message of a connector. */
export type ConnectorMessage = z.infer<typeof messageSchema>;

/** A message of one type. */
export type MessageOf<Type extends ConnectorMessage["type"]> = Extract<ConnectorMessage, { type: Type }>;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses a line; throws `source_broken`, and quotes nothing of it. */
export function requireMessage({ bytes, number }: ByteLine): ConnectorMessage {
  if (bytes === undefined) throw refuseLength();
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw refuse(`Line ${number} of the connector is not JSON.`);
  }
  const parsed = messageSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(`Line ${number} of the connector is not a message of the Collection Profile.`);
}

const LINE_FEED = 0x0a;

/** Passes on the output of a connector; throws in the middle of a line that never ends. */
export async function* guardLines(output: AsyncIterable<Uint8Array>, max_bytes: number) {
  let open_bytes = 0;
  for await (const chunk of output) {
    const end = chunk.lastIndexOf(LINE_FEED);
    open_bytes = end < 0 ? open_bytes + chunk.length : chunk.length - end - 1;
    if (open_bytes > max_bytes) throw refuseLength();
    yield chunk;
  }
}

function refuseLength(): ApiError {
  return refuse("The connector sent a line that is longer than any message may be.");
}

/** The record of a message; undefined when it does not have the form of an envelope. */
export function parseRecord({ type: _, ...record }: MessageOf<"RECORD">) {
  return recordEnvelopeSchema.safeParse(record).data;
}

/** The error for a connector that breaks the protocol. */
export function refuse(message: string): ApiError {
  return new ApiError("source_broken", {
    message,
    next: "Report it to the connector's author; what was stored before stays, and the next run begins where the last good one ended.",
  });
}
