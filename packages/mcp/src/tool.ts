import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { ApiError, type BudgetLeft, plainMessages, type ReadName, renderBudgetLeft } from "@rungs/contract";
import { continuationSchema } from "@rungs/evidence";
import { z } from "zod";
import { VIEW_META } from "./apps/view.ts";
import { type Backend, untilCancelled } from "./backend.ts";
import { answerError } from "./error-answer.ts";
import { readSpellings } from "./other-spellings.ts";
import { type PublishedSchema, publishSchema } from "./schemas.ts";

/** A tool's list entry and its answer function. */
interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: ReadName;
  readonly title: string;
  readonly description: string;
  /** Flat and strict; both published and enforced. */
  readonly input: Input;
  /**
   * Arguments that are accepted but not published, because few calls need them and every host sends the list to its
   * model.
   */
  readonly unlisted?: readonly (keyof Input["shape"] & string)[];
  readonly output: PublishedSchema;
  /** Whether hosts that hide tools behind a search should show this one from the start. */
  readonly always_loaded?: boolean;
  /** Whether hosts with MCP Apps show the view beside the answers. */
  readonly has_view?: boolean;
  answer(input: z.infer<Input>, backend: Backend): Promise<CallToolResult>;
}

/** A tool that can be registered on a server. */
export interface Tool {
  readonly name: string;
  readonly config: ReturnType<typeof describeTool>;
  /** Takes unvalidated arguments. */
  answer(args: unknown, backend: Backend): Promise<CallToolResult>;
}

/** Creates a tool, once per process: over HTTP every request gets a new server. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, input } = definition;
  return {
    name,
    config: describeTool(definition),
    answer: async (args, backend) => {
      const parsed = requireToolInput(input, readSpellings(name, args));
      return definition.answer(parsed, backend);
    },
  };
}

function describeTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>) {
  const { title, description, input, unlisted = [], output, always_loaded, has_view } = definition;
  const published = Object.entries(input.shape).filter(([name]) => !unlisted.includes(name));
  const meta = { ...(always_loaded ? { "anthropic/alwaysLoad": true } : {}), ...(has_view ? VIEW_META : {}) };
  return {
    title,
    description,
    inputSchema: publishSchema(z.strictObject(Object.fromEntries(published))),
    outputSchema: output,
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

/** Registers a tool; every error becomes an answer that says what to do next (R24). */
export function registerTool(server: McpServer, { name, config, answer }: Tool, backend: Backend): void {
  server.registerTool(name, config, async (args: unknown, { mcpReq: { signal } }) => {
    try {
      const bound = untilCancelled(backend, signal);
      return tellBudget(await answer(args, bound), bound.client.budget_left);
    } catch (error) {
      return answerError(error, continuationSchema.safeParse({ operation: name, args }).data, backend);
    }
  });
}

/** Appends what is left of the grant's budget to the text (R83). */
function tellBudget(answer: CallToolResult, left: BudgetLeft | undefined): CallToolResult {
  if (!left) return answer;
  const told = renderBudgetLeft(left);
  const add = (part: CallToolResult["content"][number]) =>
    part.type === "text" ? { ...part, text: `${part.text}\n${told}` } : part;
  return { ...answer, content: answer.content.map(add) };
}

/** Parses a tool's arguments, or throws `invalid_request` with the argument's name. */
function requireToolInput<Input extends z.ZodObject>(schema: Input, args: unknown): z.infer<Input> {
  const parsed = schema.safeParse(args ?? {}, plainMessages);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const isUnknown = issue.code === "unrecognized_keys";
  const param = String((isUnknown ? issue.keys[0] : issue.path[0]) ?? "arguments");
  const problem = isUnknown ? "is not an argument of this tool" : issue.message;
  throw new ApiError("invalid_request", {
    param,
    message: `${param}: ${problem}.`,
    next: `Call the tool again with ${param} corrected; its inputSchema says what it takes.`,
  });
}
