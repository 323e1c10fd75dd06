import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { type Continuation, continuationSchema } from "@rungs/evidence";
import type { z } from "zod";
import type { Backend } from "./adapter.ts";
import { answerError } from "./error-answer.ts";
import { requireInput } from "./input.ts";
import { type PublishedSchema, publishSchema } from "./published-schema.ts";

/** One tool: what its list entry says, and how it answers. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: Continuation["operation"];
  readonly title: string;
  readonly description: string;
  /** Flat and strict: it is published and enforced. */
  readonly input: Input;
  readonly output: PublishedSchema;
  /** Whether hosts that hide tools behind a search should show this one from the start. */
  readonly always_loaded?: boolean;
  answer(input: z.infer<Input>, backend: Backend): Promise<CallToolResult>;
}

/** Writes a tool down, keeping the type of its input. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** Adds a tool to a server; whatever it throws becomes an answer that says what to do (R24). */
export function registerTool(server: McpServer, tool: Tool, backend: Backend): void {
  const { name, title, description, always_loaded } = tool;
  const config = {
    title,
    description,
    inputSchema: publishSchema(tool.input),
    outputSchema: tool.output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ...(always_loaded ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
  };
  server.registerTool(name, config, async (args: unknown) => {
    try {
      return await tool.answer(requireInput(tool.input, args), backend);
    } catch (error) {
      return answerError(error, continuationSchema.safeParse({ operation: name, args }).data, backend);
    }
  });
}
