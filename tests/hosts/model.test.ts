import assert from "node:assert/strict";
import { test } from "node:test";
import { startScriptedModel } from "./model/scripted-model.ts";

/** For each wire format: a request with a tool, the call as the model writes it, and the request with its result. */
const FORMATS: readonly {
  readonly path: string;
  readonly ask: object;
  readonly tool: string;
  readonly written: RegExp;
  readonly answer: object;
}[] = [
  {
    path: "/v1/messages",
    ask: { tools: [{ name: "mcp__rungs__search" }], messages: [{ role: "user", content: "hi" }] },
    tool: "mcp__rungs__search",
    written: /"tool_use","id":"call_1","name":"mcp__rungs__search".*"\{\\"query\\":\\"隼\\"\}"/s,
    answer: {
      messages: [
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "found" }] },
      ],
    },
  },
  {
    path: "/v1/responses",
    ask: { tools: [{ type: "namespace", name: "mcp__rungs", tools: [{ name: "search" }] }], input: [] },
    tool: "mcp__rungs/search",
    written:
      /"call_id":"call_1","namespace":"mcp__rungs","name":"search","arguments":"\{\\"query\\":\\"隼\\"\}"/,
    answer: { input: [{ type: "function_call_output", call_id: "call_1", output: "found" }] },
  },
  {
    path: "/v1/chat/completions",
    ask: { tools: [{ function: { name: "rungs_search" } }], messages: [] },
    tool: "rungs_search",
    written: /"id":"call_1".*"name":"rungs_search","arguments":"\{\\"query\\":\\"隼\\"\}"/,
    answer: { messages: [{ role: "tool", tool_call_id: "call_1", content: "found" }] },
  },
  {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    ask: { tools: [{ functionDeclarations: [{ name: "mcp_rungs_search" }] }], contents: [] },
    tool: "mcp_rungs_search",
    written: /"functionCall":\{"id":"call_1","name":"mcp_rungs_search","args":\{"query":"隼"\}\}/,
    answer: { contents: [{ parts: [{ functionResponse: { id: "call_1", response: "found" } }] }] },
  },
];

for (const { path, ask, tool, written, answer } of FORMATS) {
  test(`the scripted model calls a tool and reads its result: ${path}`, async (t) => {
    const model = await startScriptedModel((name) => /rungs/.test(name));
    t.after(() => model.close());
    const send = async (body: object) => {
      const response = await fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(body) });
      return response.text();
    };
    assert.match(await send({ ...ask, tools: [] }), /ok/, "a side errand of the host gets a word");
    const asked = send(ask);
    assert.deepEqual(await model.listTools(), [tool]);
    const seen = model.call(tool, { query: "隼" });
    assert.match(await asked, written);
    const last = send({ ...ask, ...answer });
    assert.equal(await seen, "found");
    await model.end();
    assert.match(await last, /done/);
  });
}
