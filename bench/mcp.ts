/** The MCP adapter: cost compared with the bare REST call, and size of its answers. */
import { connectHttp, connectStdio } from "../testing/mcp/connect.ts";
import type { McpClient } from "../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../testing/mcp/served-world.ts";
import { printTable, show, time } from "./measure.ts";

const LONG = { id: "home/notes:long", field_path: "body" };
const OFFSETS = [0, 20_000, 40_000, 60_000, 80_000];

export async function benchMcp(): Promise<void> {
  const served = await serveWorld("sqlite");
  await benchWindow(served);
  await benchSizes(served);
  await served.close();
}

async function benchWindow({ url, world }: ServedWorld): Promise<void> {
  const address = { url, token: world.client };
  const headers = { Authorization: `Bearer ${world.client}` };
  const path = "/v1/streams/notes/records/long/field-window?connection_id=home&field_path=body";
  const rest = await time(OFFSETS, 60, async (offset) => {
    await (await fetch(`${url}${path}&offset_chars=${offset}`, { headers })).text();
  });
  const rows = [["REST", show(rest), ""]];
  for (const [name, connect] of Object.entries({
    "MCP over HTTP": connectHttp,
    "MCP over stdio": connectStdio,
  })) {
    const client = await connect(address);
    const read = (offset_chars: number) => call(client, "read_record_field", { ...LONG, offset_chars });
    await time(OFFSETS, 5, read);
    const timing = await time(OFFSETS, 60, read);
    rows.push([name, show(timing), `${(timing.median - rest.median).toFixed(2)} ms`]);
    await client.close();
  }
  printTable("A window of 4,096 characters, ms median / p95", ["way", "time", "more than REST"], rows);
}

async function benchSizes({ url, world }: ServedWorld): Promise<void> {
  const client = await connectHttp({ url, token: world.client });
  const calls: [string, string, Record<string, unknown>][] = [
    ["search, 5 short hits", "search", { query: "tea" }],
    ["search, 1 long hit", "search", { query: '"line 2500"' }],
    ["fetch, small", "fetch", { id: "home/notes:n1" }],
    ["fetch, long field", "fetch", { id: "home/notes:long" }],
    ["read_record_field", "read_record_field", LONG],
    ["query_records", "query_records", { stream: "notes" }],
    ["aggregate", "aggregate", { stream: "notes", metric: "count", group_by: "rating" }],
    ["schema", "schema", {}],
    ["read_blob", "read_blob", { blob_id: world.blob.blob_id }],
    ["an error", "fetch", { id: "home/notes:nothing" }],
  ];
  const rows = [["tools/list", "", String(sizeOf(await client.listTools())), ""]];
  for (const [kind, name, args] of calls) {
    const { content, structuredContent } = await call(client, name, args);
    const text = content[0]?.type === "text" ? Buffer.byteLength(content[0].text) : 0;
    const structured = structuredContent === undefined ? 0 : sizeOf(structuredContent);
    rows.push([
      kind,
      String(text),
      String(structured),
      `${Math.ceil(text / 4)} / ${Math.ceil(structured / 4)}`,
    ]);
  }
  await client.close();
  const head = ["answer", "text, bytes", "structured, bytes", "tokens, as bytes / 4"];
  printTable("How large answers are", head, rows);
}

function call(client: McpClient, name: string, args: Record<string, unknown>) {
  return client.callTool({ name, arguments: args });
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
