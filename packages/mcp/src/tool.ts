import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { ReadName } from "@rungs/contract";
import { continuationSchema } from "@rungs/evidence";
import type { z } from "zod";
import type { Backend } from "./adapter.ts";
import { answerError } from "./error-answer.ts";
import { requireToolInput } from "./input.ts";
import { type PublishedSchema, publishSchema } from "./published-schema.ts";

/** What a tool's list entry says, and how it answers. */
interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: ReadName;
  readonly title: string;
  readonly description: string;
  /** Flat and strict: it is published and enforced. */
  readonly input: Input;
  readonly output: PublishedSchema;
  /** Whether hosts that hide tools behind a search should show this one from the start. */
  readonly always_loaded?: boolean;
  answer(input: z.infer<Input>, backend: Backend): Promise<CallToolResult>;
}

/** One tool, ready to be added to a server. */
export interface Tool {
  readonly name: string;
  readonly config: ReturnType<typeof describeTool>;
  /** Takes whatever a host sends. */
  answer(args: unknown, backend: Backend): Promise<CallToolResult>;
}

/** Makes a tool, once: over HTTP a server is made for every request. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, input } = definition;
  return {
    name,
    config: describeTool(definition),
    answer: async (args, backend) => definition.answer(requireToolInput(input, args), backend),
  };
}

function describeTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>) {
  const { title, description, input, output, always_loaded } = definition;
  return {
    title,
    description,
    inputSchema: publishSchema(input),
    outputSchema: output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ...(always_loaded ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
  };
}

/** Adds a tool to a server; whatever it throws becomes an answer that says what to do (R24). */
export function registerTool(server: McpServer, { name, config, answer }: Tool, backend: Backend): void {
  server.registerTool(name, config, async (args: unknown) => {
    try {
      return await answer(args, backend);
    } catch (error) {
      return answerError(error, continuationSchema.safeParse({ operation: name, args }).data, backend);
    }
  });
}
