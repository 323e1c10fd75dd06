/**
 * Mutated calls to `/mcp`: messages, arguments and headers. Each gets a protocol-conformant answer within the grant.
 */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { isErrorCode } from "@rungs/contract";
import { formatFieldWindowUri, formatRecordUri } from "@rungs/evidence";
import fc from "fast-check";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { engines } from "../../testing/engines.ts";
import { fuzz } from "../../testing/fuzz/cases.ts";
import { mangledJson } from "../../testing/fuzz/mangled.ts";
import { type Draft, mutate } from "../../testing/fuzz/mutations.ts";
import { Random } from "../../testing/random.ts";
import { createWorld, INSIDE, type Json, OUTSIDE, type World } from "../../testing/world.ts";

const INTERNAL_ERROR = -32603;
/** The SDK reports a malformed message as an internal error, and names the broken rule. */
const FORM_ISSUES = /^\[\s*\{.*"path"/s;
const note = { connection_id: "home", stream: "notes", record_id: "long" };
const window = {
  ...note,
  field_path: "body",
  selector: { kind: "offset", offset_chars: 5, limit_chars: 20 },
};

const MESSAGES: readonly object[] = [
  {
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } },
  },
  { method: "tools/list", params: {} },
  { method: "ping" },
  { method: "notifications/initialized" },
  { method: "notifications/cancelled", params: { requestId: 1, reason: "x" } },
  { method: "resources/templates/list", params: { cursor: "x" } },
  { method: "resources/read", params: { uri: formatRecordUri(note) } },
  { method: "resources/read", params: { uri: formatFieldWindowUri(window as never) } },
  ...[
    ["search", { query: "tea", limit: 3, stream: "notes" }],
    ["fetch", { id: "home/notes:n1", fields: ["title", "body"] }],
    ["read_record_field", { id: "home/notes:long", field_path: "body", offset_chars: 10, limit_chars: 50 }],
    ["read_record_field", { ...note, field_path: "body", q: "line", before_chars: 5, after_chars: 5 }],
    ["query_records", { stream: "notes", filter: ["rating=1"], order_by: "rating", limit: 2 }],
    ["aggregate", { stream: "notes", metric: "avg", field: "rating", group_by: "done" }],
    ["schema", { stream: "notes", connection_id: "home" }],
    ["read_blob", { blob_id: "BLOB", as: "base64", offset_bytes: 2, limit_bytes: 5 }],
  ].map(([name, args]) => ({ method: "tools/call", params: { name, arguments: args } })),
];

for (const engine of Object.keys(engines)) {
  describe(engine, () => {
    let world: World;
    before(async () => {
      world = await createWorld(engine);
      addMcp(world.app, world.store, { now: () => world.clock.now });
    });
    after(() => world?.close());

    fuzz(
      `any message to /mcp is answered by the protocol, within the grant (${engine})`,
      messages(),
      async (json) => {
        const blob_id = world.blob.blob_id;
        const body = JSON.stringify(json)?.replaceAll('"BLOB"', JSON.stringify(blob_id)) ?? "";
        await check(world, draftOf(world, body));
      },
    );

    fuzz(
      `any request to /mcp gets an answer or a coded error (${engine})`,
      requests(),
      async ([json, seed]) => {
        await check(world, mutate(draftOf(world, JSON.stringify(json)), new Random(seed)));
      },
    );
  });
}

function messages(): fc.Arbitrary<unknown> {
  const one = fc
    .constantFrom(...MESSAGES)
    .chain((message) => mangledJson({ jsonrpc: "2.0", id: 1, ...message }));
  return fc.oneof({ weight: 9, arbitrary: one }, fc.array(one, { maxLength: 3 }));
}

function requests(): fc.Arbitrary<[object, number]> {
  const message = fc.constantFrom(...MESSAGES).map((each) => ({ jsonrpc: "2.0", id: 1, ...each }));
  return fc.tuple(message, fc.nat());
}

function draftOf(world: World, body: string): Draft {
  const headers = {
    Authorization: `Bearer ${world.client}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  };
  return { method: "POST", segments: ["mcp"], params: [], headers, body: Buffer.from(body) };
}

async function check(world: World, draft: Draft): Promise<void> {
  const { method, segments, params, headers, body } = draft;
  const query = params.map(([name, value]) => `${name}=${value}`).join("&");
  const request = requestOf(`http://localhost/${segments.join("/")}?${query}`, {
    method,
    headers,
    ...(method === "GET" || method === "HEAD" || !body ? {} : { body: Buffer.from(body) }),
  });
  if (!request) return;
  world.logs.length = 0;
  const answer = await world.app.fetch(request);
  const text = await readText(answer);
  const about = `${answer.status} ${method} ${body} ${text.slice(0, 300)}`;
  assert.ok(answer.status < 500, about);
  assert.ok(!text.includes(OUTSIDE), about);
  for (const { jsonrpc, error, result } of readMessages(text)) {
    if (jsonrpc && error?.code === INTERNAL_ERROR) assert.match(error.message, FORM_ISSUES, about);
    if (error) assert.ok(!JSON.stringify(error).includes(INSIDE), about);
    const code = result?._meta?.["dev.pdpp/error"]?.code;
    if (code !== undefined) assert.ok(isErrorCode(code) && code !== "internal_error", about);
  }
}

/** An event stream may stay open: read only its first events. */
async function readText(answer: Response): Promise<string> {
  if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return answer.text();
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    if (text.includes("data:")) break;
  }
  await reader?.cancel();
  return text;
}

function readMessages(text: string): Json[] {
  const isJson = text.startsWith("{") || text.startsWith("[");
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  return (isJson ? [text] : data).flatMap((document) => JSON.parse(document));
}

/** Undefined for what no client can send. */
function requestOf(url: string, init: RequestInit): Request | undefined {
  try {
    return new Request(url, init);
  } catch {
    return undefined;
  }
}
