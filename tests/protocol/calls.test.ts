/**
 * The calls that the protocol's other adapter, command line and live smoke test make, verbatim: with the parameter
 * and member names of those programs, and nothing specific to Rungs.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { INSIDE, type Json, LONG_TEXT } from "../../testing/world.ts";
import { createSpecificationClient } from "./client.ts";

const NOTES = "/v1/streams/notes";
const AT = "connection_id=home";

type Shape = Parameters<ReturnType<typeof createSpecificationClient>["get"]>[0];

/** Each call, the shape of its answer, and a check of the members that the caller uses next. */
const READS: readonly (readonly [path: string, shape: Shape, holds: (body: Json) => boolean])[] = [
  ["/v1/schema", "schema", ({ connectors }) => connectors[0].streams.length > 0],
  [`/v1/schema?stream=notes&${AT}`, "schema", ({ connectors }) => "title" in fieldsOf(connectors)],
  ["/v1/schema?detail=full", "schema", ({ connectors }) => "body" in fieldsOf(connectors)],
  ["/v1/schema?detail=compact", "schema", ({ detail }) => detail === "compact"],
  ["/v1/schema?view=compact", "schema", ({ detail }) => detail === "compact"],
  ["/v1/search?q=tea", "search", ({ data }) => data[0].snippet.text.length > 0],
  ["/v1/search?q=tea&streams=notes&limit=1", "search", ({ data }) => data.length === 1],
  ["/v1/search?q=tea&streams=notes&mode=lexical", "search", ({ data }) => data.length > 1],
  ["/v1/search?q=tea&mode=semantic", "semantic", ({ data }) => data.length > 0],
  ["/v1/search?q=tea&mode=hybrid", "hybrid", ({ data }) => data.length > 0],
  [`${NOTES}/records/n1?${AT}`, "record", ({ id }) => id === "n1"],
  [`${NOTES}/records/n1?connector_instance_id=home`, "record", ({ id }) => id === "n1"],
  [`${NOTES}/records/n1?${AT}&fields=title`, "record", ({ data }) => Object.keys(data).join() === "id,title"],
  [`${NOTES}/records/long?${AT}`, "record", ({ data }) => data.body === LONG_TEXT],
  [
    `${NOTES}/records/long/field-window?field=body&${AT}&offset_chars=4096&limit_chars=1024`,
    "window",
    ({ window }) => window.text === cut(4096, 5120) && window.next_offset_chars === 5120,
  ],
  [
    `${NOTES}/records/long/field-window?field=body&${AT}&q=${INSIDE}`,
    "window",
    ({ window }) => window.total_chars === [...LONG_TEXT].length && window.match_start_chars >= 0,
  ],
  [
    `${NOTES}/records?${AT}&limit=1&order=asc`,
    "records",
    ({ has_more, next_cursor }) => has_more && next_cursor,
  ],
  [
    `${NOTES}/records?${AT}&limit=1&sort=-written_at&count=exact`,
    "records",
    ({ meta }) => meta.count.value > 1,
  ],
  [
    `${NOTES}/records?${AT}&limit=1&fields=id`,
    "records",
    ({ data }) => Object.keys(data[0].data).join() === "id",
  ],
  [`${NOTES}/aggregate?${AT}&metric=count`, "aggregate", ({ value }) => value > 1],
  [`${NOTES}/aggregate?${AT}&metric=count&group_by=rating`, "aggregate", ({ groups }) => groups[0].count > 0],
  [
    `${NOTES}/aggregate?${AT}&metric=count&group_by_time=written_at&granularity=day&limit=7`,
    "aggregate",
    ({ groups }) => groups.length > 0 && /^\d{4}-\d\d-\d\d$/.test(groups.at(-1).key),
  ],
  [`${NOTES}?${AT}`, "stream", ({ name }) => name === "notes"],
  ["/v1/streams", "streams", ({ data }) => data.length > 0],
];

const REFUSALS: readonly (readonly [path: string, status: number, code: string])[] = [
  [`${NOTES}/records/n1`, 409, "ambiguous_connection"],
  [`${NOTES}/records?limit=1`, 409, "ambiguous_connection"],
  [`${NOTES}/records?${AT}&filter[title]=x`, 400, "invalid_request"],
  [`${NOTES}/records?${AT}&nonsense=1`, 400, "invalid_request"],
  [`${NOTES}/records/n1/field-window?field=nothing&${AT}`, 403, "field_not_granted"],
  [`${NOTES}/records/none?${AT}`, 404, "not_found"],
  ["/v1/streams/nothing/records", 403, "grant_stream_not_allowed"],
];

/** Tool calls with the other adapter's arguments, each with a check of the members of the answer that its caller reads. */
const TOOLS: readonly (readonly [name: string, args: object, holds: (structured: Json) => unknown])[] = [
  ["schema", {}, () => true],
  ["schema", { detail: "compact" }, () => true],
  ["schema", { stream: "notes", connection_id: "home", detail: "full" }, () => true],
  ["query_records", { stream: "notes", limit: 1, connection_id: "home" }, ({ data }) => data],
  ["query_records", { stream: "notes", limit: 1, connection_id: "home", fields: ["id"] }, ({ data }) => data],
  [
    "query_records",
    { stream: "notes", limit: 1, connection_id: "home", sort: "-written_at", count: "exact" },
    ({ data }) => data.meta.count.value > 1 && data.has_more && data.next_cursor,
  ],
  [
    "query_records",
    {
      stream: "notes",
      limit: 1,
      connection_id: "home",
      filter: { written_at: { gte: "1970-01-01T00:00:00Z" } },
    },
    ({ data }) => data,
  ],
  ["fetch", { id: "notes:n1", connection_id: "home" }, ({ id }) => id.endsWith("notes:n1")],
  ["fetch", { id: "notes:n1", connection_id: "home", fields: ["id"] }, ({ id }) => id],
  [
    "search",
    { q: "tea", streams: ["notes"], limit: 1, mode: "lexical", connection_id: "home" },
    ({ results }) => results.length === 1,
  ],
  [
    "search",
    { q: "tea", streams: ["notes"], limit: 3, mode: "lexical" },
    ({ results }) => results.length === 3,
  ],
  ["aggregate", { stream: "notes", metric: "count", connection_id: "home" }, ({ data }) => data],
];

function fieldsOf(connectors: Json): Json {
  return connectors[0].streams[0].field_capabilities;
}

function cut(start: number, end: number): string {
  return [...LONG_TEXT].slice(start, end).join("");
}

describe("calls of other programs", () => {
  let served: ServedWorld;
  let token = "";
  before(async () => {
    served = await serveWorld("sqlite");
    token = (await served.allowBoth()).token;
  });
  after(() => served?.close());

  test("R85 the reads of the protocol's adapter, command line and smoke test get answers in its own terms", async () => {
    const client = createSpecificationClient((path, init) => fetch(served.url + path, init), token);
    for (const [path, shape, holds] of READS) assert.ok(holds(await client.get(shape, path)), path);
    for (const [path, status, code] of REFUSALS) {
      const { error } = await client.get("error", path);
      const answer = await fetch(served.url + path, { headers: { Authorization: `Bearer ${token}` } });
      assert.deepEqual([answer.status, error.code], [status, code], path);
      if (status === 409) {
        const named = error.available_connections.map(({ connection_id }: Json) => connection_id);
        assert.deepEqual(named.toSorted(), ["home", "work"]);
        // Even a program that prints only the message tells its user what to do.
        assert.match(error.message, /connection_id/);
      }
    }
    const nobody = await fetch(`${served.url}/v1/streams`, { headers: { Authorization: "Bearer nobody" } });
    assert.equal(nobody.status, 401);
  });

  test("R85 the tool calls of the protocol's smoke test work at /mcp, over bare JSON-RPC", async () => {
    let id = 0;
    const call = async (method: string, params: object, bearer = token): Promise<Json> => {
      id += 1;
      const answer = await fetch(`${served.url}/mcp`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${bearer}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      });
      if (!answer.ok) return { status: answer.status };
      const text = await answer.text();
      return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    };
    const clientInfo = { name: "smoke", version: "1" };
    const opened = await call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    assert.ok(opened.result.serverInfo);
    const { result } = await call("tools/list", {});
    const names = result.tools.map(({ name }: Json) => name);
    for (const name of ["schema", "query_records", "fetch", "search", "aggregate"])
      assert.ok(names.includes(name));
    for (const [name, args, holds] of TOOLS) {
      const { result: answered } = await call("tools/call", { name, arguments: args });
      assert.notEqual(answered.isError, true, `${name} ${JSON.stringify(args)} ${answered.content[0].text}`);
      assert.ok(holds(answered.structuredContent), `${name} ${JSON.stringify(args)}`);
    }
    const { result: ambiguous } = await call("tools/call", {
      name: "query_records",
      arguments: { stream: "notes", limit: 1 },
    });
    assert.equal(ambiguous._meta["dev.pdpp/error"].code, "ambiguous_connection");
    for (const filter of ["filter[written_at][gte]=1970", "filter%5Bwritten_at%5D=1970"]) {
      const { result: refused } = await call("tools/call", {
        name: "query_records",
        arguments: { stream: "notes", limit: 1, connection_id: "home", filter },
      });
      assert.equal(refused.isError, true);
    }
    assert.deepEqual(await call("tools/list", {}, "nobody"), { status: 401 });
  });
});
