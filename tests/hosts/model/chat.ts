import type { Dialect, Json, Reply } from "./dialect.ts";

/** OpenAI Chat Completions. */
export const chat: Dialect = {
  path: /\/chat\/completions$/,
  readTurn({ tools = [], messages = [] }) {
    return {
      tools: tools.map((tool: Json) => tool.function?.name),
      results: new Map(
        messages
          .filter(({ role }: Json) => role === "tool")
          .map(({ tool_call_id, content }: Json) => [tool_call_id, content]),
      ),
    };
  },
  writeEvents(reply) {
    const chunk = (delta: Json, finish_reason: string | null, rest: Json = {}) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 0,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason }],
      ...rest,
    });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return [
      chunk({ role: "assistant", ...writeDelta(reply) }, null),
      chunk({}, "text" in reply ? "stop" : "tool_calls", { usage }),
      "[DONE]",
    ];
  },
};

function writeDelta(reply: Reply): Json {
  if ("text" in reply) return { content: reply.text };
  const { call_id: id, name, args } = reply;
  return {
    tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  };
}
