import type { Dialect, Json } from "./dialect.ts";

/** Gemini API. */
export const gemini: Dialect = {
  path: /:(?:streamG|g)enerateContent$/,
  readTurn({ tools = [], contents = [] }) {
    const parts = contents.flatMap(({ parts: inner = [] }: Json) => inner);
    return {
      tools: tools.flatMap(({ functionDeclarations = [] }: Json) =>
        functionDeclarations.map(({ name }: Json) => name),
      ),
      results: new Map(
        parts
          .filter(({ functionResponse }: Json) => functionResponse !== undefined)
          .map(({ functionResponse: { id, response } }: Json) => [id, response]),
      ),
    };
  },
  writeEvents(reply) {
    const part =
      "text" in reply
        ? { text: reply.text }
        : { functionCall: { id: reply.call_id, name: reply.name, args: reply.args } };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [
      {
        candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
        usageMetadata,
        modelVersion: "scripted",
      },
    ];
  },
};
