/** A question of a connector to the owner, and the answer (Collection Profile §3, INTERACTION). */
import { foldToLine, sliceChars } from "@rungs/evidence";
import type { QuestionField, SourceTask } from "../live-source.ts";
import type { ConnectorLimits } from "./limits.ts";
import type { MessageOf } from "./messages.ts";

const FIELDS_MAX = 20;
const TEXT_CHARS = 500;

/** Asks the owner and returns the response for the connector. */
export async function answerInteraction(
  { request_id, kind, message, schema, timeout_seconds }: MessageOf<"INTERACTION">,
  task: SourceTask,
  { answer_ms, answer_max_ms }: ConnectorLimits,
): Promise<object> {
  const timeout_ms = Math.min(
    timeout_seconds === undefined ? answer_ms : timeout_seconds * 1_000,
    answer_max_ms,
  );
  const answer = await task.ask({
    message: sliceChars(foldToLine(message), 0, TEXT_CHARS),
    fields: listFields(schema, kind),
    timeout_ms,
  });
  return {
    type: "INTERACTION_RESPONSE",
    request_id,
    ...(answer.kind === "given" ? { status: "success", data: answer.values } : { status: answer.kind }),
  };
}

function listFields(schema: Readonly<Record<string, unknown>> | undefined, kind: string): QuestionField[] {
  const properties = asObject(schema?.properties);
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const fields = Object.entries(properties).map(([name, property]): QuestionField => {
    const { format, writeOnly } = asObject(property);
    const is_secret = format === "password" || writeOnly === true || kind === "otp";
    return { name: sliceChars(name, 0, TEXT_CHARS), is_secret, is_required: required.includes(name) };
  });
  if (fields.length === 0 && kind === "otp") return [{ name: "code", is_secret: true, is_required: true }];
  return fields.slice(0, FIELDS_MAX);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
