/** `fake-host.ts MODEL_URL LIMIT`: a host of forty lines that truncates answers to LIMIT characters for its model. */
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [model_url = "", limit = ""] = process.argv.slice(2);
const { url, headers } = JSON.parse(readFileSync("mcp.json", "utf8")).mcpServers.rungs;
const client = new Client({ name: "fake-host", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
const offered = tools.map(({ name }) => ({ type: "function", function: { name: `rungs_${name}` } }));

interface Delta {
  readonly content?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

const messages: unknown[] = [{ role: "user", content: "Climb." }];
for (let delta = await askModel(); delta.tool_calls; delta = await askModel()) {
  for (const call of delta.tool_calls) {
    const name = call.function.name.replace(/^rungs_/, "");
    const result = await client.callTool({ name, arguments: JSON.parse(call.function.arguments) });
    const shown = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    messages.push({ role: "tool", tool_call_id: call.id, content: shown.slice(0, Number(limit)) });
  }
}
await client.close();

async function askModel(): Promise<Delta> {
  const body = JSON.stringify({ stream: true, tools: offered, messages });
  const response = await fetch(`${model_url}/v1/chat/completions`, { method: "POST", body });
  const [first = ""] = (await response.text()).split("\n");
  return JSON.parse(first.replace(/^data: /, "")).choices[0].delta;
}
