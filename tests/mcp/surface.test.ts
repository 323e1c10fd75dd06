/** The adapter's surface, before any read. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fieldReadJsonSchema, operations, READ_NAMES } from "@rungs/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ask, askRefused, errorOf, linksOf } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { ServedWorld } from "../../testing/mcp/served-world.ts";
import { openConnected } from "./connected.ts";

describe("surface", () => {
  const on = openConnected();

  test("tools/list is at most 12,000 bytes and the instructions at most 1,500 characters", async (t) => {
    for (const era of ["legacy", "auto"] as const) {
      const other = await connectApp(on.served.world.app, on.served.world.client, era);
      t.after(() => other.close());
      assert.ok(Buffer.byteLength(JSON.stringify(await other.listTools())) <= 12_000);
      assert.ok((other.getInstructions() ?? "").length <= 1_500);
    }
  });

  test("every tool is read-only and flat, and lists never change", async () => {
    const { tools } = await on.client.listTools();
    for (const { name, inputSchema, annotations } of tools) {
      assert.equal(annotations?.readOnlyHint, true, name);
      assert.equal(inputSchema.additionalProperties, false, name);
      for (const word of ["oneOf", "anyOf", "allOf", "not"])
        assert.ok(!(word in inputSchema), `${name}: ${word}`);
    }
    assert.deepEqual(on.client.getServerCapabilities(), {
      tools: { listChanged: false },
      resources: { subscribe: true, listChanged: false },
    });
  });

  test("R40 every resource template is registered", async () => {
    const { resourceTemplates } = await on.client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      [
        "pdpp://record/{handle}",
        "pdpp://record/{connection_id}/{record}",
        "pdpp://field-window/{handle}",
        "pdpp://stream/{connection_id}/{stream}",
        "pdpp://blob/{blob_id}",
      ],
    );
  });

  test("R20 read_record_field publishes the fixed schema without its oneOf, and accepts exactly what that accepts", async () => {
    const { tools } = await on.client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === "read_record_field")!;
    assert.deepEqual(inputSchema.properties, fieldReadJsonSchema.properties);
    const accepts = new Ajv2020({ strict: false }).compile(fieldReadJsonSchema);
    const parts = { connection_id: "home", stream: "notes", record_id: "n1" };
    const inputs: Record<string, unknown>[] = [
      { id: "home/notes:n1", field_path: "body" },
      { ...parts, field_path: "body" },
      { ...parts, id: "home/notes:n1", field_path: "body" },
      { id: "home/notes:n1", connection_id: "home", field_path: "body" },
      { id: "home/notes:n1" },
      { field_path: "body" },
      { stream: "notes", record_id: "n1", field_path: "body" },
      { id: "home/notes:n1", field_path: "body", limit_chars: 0 },
      { id: "home/notes:n1", field_path: "body", limit_chars: 16_384 },
      { id: "home/notes:n1", field_path: "body", limit_chars: 16_385 },
      { id: "home/notes:n1", field_path: "body", offset_chars: -1 },
      { id: "home/notes:n1", field_path: "body", offset_chars: 1.5 },
      { id: "home/notes:n1", field_path: "body", offset_chars: "1" },
      { id: "home/notes:n1", field_path: "body", q: "tea", before_chars: 8_192 },
      { id: "home/notes:n1", field_path: "body", q: "tea", before_chars: 8_193 },
      { id: "home/notes:n1", field_path: "body", q: "tea", after_chars: 0 },
      { id: "home/notes:n1", field_path: "body", other: 1 },
      { id: 7, field_path: "body" },
    ];
    for (const args of inputs) {
      const { isError = false, _meta } = await on.client.callTool({
        name: "read_record_field",
        arguments: args,
      });
      assert.equal(!isError, accepts(args), JSON.stringify(args));
      if (isError) assert.equal(errorOf(_meta).code, "invalid_request");
    }
  });

  test("R20 every tool's answer matches its output schema", async () => {
    const { tools } = await on.client.listTools();
    const calls = {
      search: { query: "tea" },
      fetch: { id: "home/notes:long" },
      read_record_field: { id: "home/notes:long", field_path: "body", q: "line 7" },
      read_thread: { id: "home/notes:n14" },
      query_records: { stream: "notes", connection_id: "home" },
      aggregate: { stream: "notes", connection_id: "home", metric: "count" as const },
      schema: {},
      read_blob: { blob_id: on.served.world.blob.blob_id },
    };
    for (const [operation, args] of Object.entries(calls)) {
      const { outputSchema } = tools.find(({ name }) => name === operation)!;
      const { structured } = await ask(on.client, { operation: operation as keyof typeof calls, args });
      assert.ok(new Ajv2020({ strict: false }).validate(outputSchema as object, structured), operation);
    }
  });

  test("R05 R06 a bad id is refused by its segment, without a call to the resource server", async () => {
    const { logs } = on.served.world;
    const cases = {
      "/notes:n1": "invalid_record_id",
      "home/:n1": "invalid_record_id",
      "home/notes:": "invalid_record_id",
      "a/b/notes:n1": "invalid_record_id",
      "home/notes:../x": "invalid_record_id",
      "../notes:n1": "invalid_record_id",
      "https://example.org/x": "invalid_record_id",
      "home/notes:a\nb": "invalid_record_id",
      "pdpp://record/!": "invalid_record_id",
    };
    for (const [id, code] of Object.entries(cases)) {
      for (const [operation, args] of [
        ["fetch", { id }],
        ["read_record_field", { id, field_path: "body" }],
      ] as const) {
        const called = restCalls(logs).length;
        const { text, error } = await askRefused(on.client, { operation, args });
        assert.equal(error.code, code, id);
        assert.ok(text.startsWith(`${code}: `));
        assert.equal(restCalls(logs).length, called, `${operation} ${id} reached the server`);
      }
    }
    const called = restCalls(logs).length;
    const { error } = await askRefused(on.client, {
      operation: "fetch",
      args: { id: "home/notes:n1", connection_id: "work" },
    });
    assert.equal(error.code, "connection_conflict");
    assert.equal(restCalls(logs).length, called);
  });

  test("R50 the adapter calls only the read operations of clients", () => {
    const allowed = new Set<string>(READ_NAMES);
    const called = new Set(restCalls(on.served.world.logs).map(({ operation }) => String(operation)));
    for (const name of called)
      assert.ok(allowed.has(name) && operations[name as "search"].kind === "client", name);
    assert.ok(called.size >= 5);
  });

  test("R41 R42 no answer shows a field-window URI or a link; both are reachable from _meta", async () => {
    const { content, structuredContent, _meta } = await on.client.callTool({
      name: "search",
      arguments: { query: "tea" },
    });
    assert.doesNotMatch(JSON.stringify([content, structuredContent]), /pdpp:\/\/|resource_link/);
    const { field_windows } = linksOf(_meta);
    assert.ok(field_windows.length > 0);
    for (const { uri } of field_windows)
      assert.equal((await on.client.readResource({ uri })).contents[0]?.uri, uri);
  });

  test("R07 R40 a URI resolves to the same record and window as the id, under the same grant", async (t) => {
    const { structured } = await ask(on.client, { operation: "fetch", args: { id: "home/notes:n1" } });
    const { _meta } = await on.client.callTool({ name: "fetch", arguments: { id: "home/notes:n1" } });
    const { records } = linksOf(_meta);
    const uri = records[0]!.uri;
    const byUri = await ask(on.client, { operation: "fetch", args: { id: uri } });
    assert.equal(byUri.structured.id, structured.id);
    const window = { field_path: "body", limit_chars: 20 };
    const tool = await ask(on.client, { operation: "read_record_field", args: { id: uri, ...window } });
    const { field_windows } = linksOf(tool.meta);
    const [content] = (await on.client.readResource({ uri: field_windows[0]!.uri })).contents;
    const { resource, ...read } = JSON.parse(content && "text" in content ? content.text : "");
    const { next_cursor: _, ...same } = (tool.structured as { window: Record<string, unknown> }).window;
    assert.deepEqual({ ...read.window, next_cursor: undefined }, { ...same, next_cursor: undefined });
    assert.equal(resource.uri, field_windows[0]!.uri);
    const outside = await connectApp(on.served.world.app, on.served.world.client);
    t.after(() => outside.close());
    const { _meta: meta } = await on.client.callTool({ name: "fetch", arguments: { id: "work/notes:n1" } });
    const [work] = linksOf(meta).records;
    await assert.rejects(outside.readResource({ uri: work!.uri }), /grant_stream_not_allowed/);
  });

  test("R32 search and fetch have the shapes that ChatGPT requires, with a url for the console", async () => {
    const { structured } = await ask(on.client, { operation: "search", args: { query: "tea" } });
    const [first] = structured.results as { id: string; title: string; url: string }[];
    assert.equal(first?.url, `http://localhost/console/records/${first!.id.replace("/", "%2F")}`);
    const fetched = await ask(on.client, { operation: "fetch", args: { id: first!.id } });
    assert.deepEqual(Object.keys(fetched.structured).slice(0, 5), ["id", "title", "text", "url", "metadata"]);
    assert.deepEqual(Object.keys(structured), ["results", "content_ladder", "data"]);
  });
});

/** Requests of the adapter itself, not the host's. */
function restCalls(logs: ServedWorld["world"]["logs"]) {
  return logs.filter(({ operation }) => operation !== null);
}
