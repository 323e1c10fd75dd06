import { randomBytes } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";

import {
  formatRecordPage,
  formatToolCall,
  type ReadName,
  type RenderOptions,
  renderLabel,
} from "@rungs/contract";
import type { Continuation, RecordIdentity } from "@rungs/evidence";
import { TEXT_BYTES } from "./limits.ts";

const TITLE_CHARS = 200;

/** An answer as text and as structured content, each complete by itself, and metadata that only hosts see. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly meta?: Record<string, unknown> | undefined;
}

/** Render options for MCP: next calls as tool calls, record text between unguessable fences (R27). */
export function createRenderOptions(budget_bytes = TEXT_BYTES): RenderOptions {
  return { write: formatToolCall, fence: randomBytes(6).toString("hex"), budget_bytes };
}

/** Writes an answer as a tool result: exactly one text block, no resource links (R42). */
export function writeAnswer({ text, structured, meta }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: "text", text: text }],
    structuredContent: structured,
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** A continuation that repeats the given arguments. */
export function repeatCall(
  operation: ReadName,
  input: Readonly<Record<string, Continuation["args"][string] | undefined>>,
): Continuation {
  const given = Object.entries(input).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { operation, args: Object.fromEntries(given) };
}

/** The call for the next page, if there is one. */
export function nextPage(call: Continuation, cursor: string | null | undefined): { next?: Continuation } {
  return cursor ? { next: { ...call, args: { ...call.args, cursor } } } : {};
}

/**
 * The title and URL by which ChatGPT cites a record: a non-empty title, and the record's console page if a server is
 * running (R32).
 */
export function citeRecord(
  title: string | null | undefined,
  record: RecordIdentity,
  base_url: string | undefined,
) {
  return {
    title: title ?? renderLabel(record.record_id, TITLE_CHARS),
    ...(base_url === undefined ? {} : { url: base_url + formatRecordPage(record) }),
  };
}
