import { randomBytes } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { RenderOptions } from "@rungs/contract";
import { formatToolCall } from "@rungs/contract";
import { TEXT_BYTES } from "./limits.ts";

/** One view of an answer in its two forms, each complete alone, and what only hosts see. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly meta?: Record<string, unknown> | undefined;
}

/** How text is written here: next steps as tool calls, record text between fences that nobody can guess (R27). */
export function createRenderOptions(budget_bytes = TEXT_BYTES): RenderOptions {
  return { write: formatToolCall, fence: randomBytes(6).toString("hex"), budget_bytes };
}

/** Writes an answer as a tool's result: exactly one text block, and no links to follow (R42). */
export function writeAnswer({ text, structured, meta }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: "text", text }],
    structuredContent: structured,
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}
