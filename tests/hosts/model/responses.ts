import type { Dialect, Json, Reply } from "./dialect.ts";

/** OpenAI Responses. A tool of a namespace is written `namespace/name`. */
export const responses: Dialect = {
  path: /\/responses$/,
  readTurn({ tools = [], input = [] }) {
    return {
      tools: tools.flatMap(({ type, name, tools: inner }: Json) =>
        type === "namespace" ? inner.map((tool: Json) => `${name}/${tool.name}`) : [name],
      ),
      results: new Map(
        input
          .filter(({ type }: Json) => type === "function_call_output")
          .map(({ call_id, output }: Json) => [call_id, output]),
      ),
    };
  },
  writeEvents(reply) {
    const item = writeItem(reply);
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id: "resp_1", object: "response", status: "completed", output: [item], usage };
    return [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
  },
};

function writeItem(reply: Reply): Json {
  if ("text" in reply) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    return { type: "message", id: "item_1", role: "assistant", status: "completed", content };
  }
  const { call_id, name, args } = reply;
  const [space, inner] = name.split("/");
  const named = inner === undefined ? { name } : { namespace: space, name: inner };
  return {
    type: "function_call",
    id: `fc_${call_id}`,
    status: "completed",
    call_id,
    ...named,
    arguments: JSON.stringify(args),
  };
}
