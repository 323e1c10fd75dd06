import type { Dialect, Json, Reply } from "./dialect.ts";

/** Anthropic Messages. */
export const anthropic: Dialect = {
  path: /\/v1\/messages$/,
  readTurn({ tools = [], messages = [] }) {
    const blocks = messages.flatMap(({ content }: Json) => (Array.isArray(content) ? content : []));
    return {
      tools: tools.map(({ name }: Json) => name),
      results: new Map(
        blocks
          .filter(({ type }: Json) => type === "tool_result")
          .map(({ tool_use_id, content }: Json) => [tool_use_id, content]),
      ),
    };
  },
  writeEvents(reply) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      usage,
    };
    const isCall = "call_id" in reply;
    return [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      ...writeBlock(reply),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: isCall ? "tool_use" : "end_turn" }, usage },
      { type: "message_stop" },
    ];
  },
};

function writeBlock(reply: Reply): Json[] {
  const start = (content_block: Json) => ({ type: "content_block_start", index: 0, content_block });
  const add = (delta: Json) => ({ type: "content_block_delta", index: 0, delta });
  if ("text" in reply)
    return [start({ type: "text", text: "" }), add({ type: "text_delta", text: reply.text })];
  const { call_id: id, name, args } = reply;
  return [
    start({ type: "tool_use", id, name, input: {} }),
    add({ type: "input_json_delta", partial_json: JSON.stringify(args) }),
  ];
}
