/** A server that is not Rungs: every call says in plain words what it lacks, or how it answered. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { startStdio } from "../../testing/mcp/connect.ts";

type Answer = readonly [status: number, body: string, headers?: Record<string, string>];

const JSON_TYPE = { "Content-Type": "application/json" };
const SECRET = "words that a server may have sent";

/** By path prefix: responses observed from other vendors' servers. */
const ANSWERS: readonly (readonly [path: string, answer: Answer])[] = [
  ["/v1/schema", [200, `{"object":"schema","bearer":{},"connectors":[{"note":"${SECRET}"}]}`, JSON_TYPE]],
  [
    "/v1/search",
    [400, `{"error":{"type":"x","code":"unsupported_parameter","message":"${SECRET}"}}`, JSON_TYPE],
  ],
  [
    "/v1/streams/notes/records/n1/field-window",
    [500, `{"error":{"type":"api_error","code":"internal_error","message":"${SECRET}"}}`, JSON_TYPE],
  ],
  ["/v1/streams/notes/records/n1", [200, `<html>${SECRET}</html>`]],
  ["/v1/streams/notes/query", [404, `{"message":"${SECRET}"}`, JSON_TYPE]],
  ["/v1/streams/notes/aggregate", [501, ""]],
  ["/v1/blobs", [404, SECRET]],
  [
    "/v1/streams/old/query",
    [400, `{"error":{"code":"unsupported_version","message":"${SECRET}"}}`, JSON_TYPE],
  ],
  ["/v1/export", [404, SECRET, { "Request-Id": "req-7" }]],
  ["/mcp", [200, "", { "Content-Type": "text/event-stream" }]],
];

async function openForeign(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const [, [status, body, headers]] = ANSWERS.find(([path]) => request.url?.startsWith(path)) ?? [
      "",
      [404, ""],
    ];
    response.writeHead(status, headers);
    // An event stream stays open.
    if (headers?.["Content-Type"] === "text/event-stream") response.flushHeaders();
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const COMMANDS: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
  [["schema"], /answer to schema is not that of a Rungs server: \w+ is missing or has another form/],
  [["search", "tea"], /refused search .*: status 400, code unsupported_parameter/],
  [["read", "home/notes:n1", "body"], /refused read_record_field .*: status 500, code internal_error/],
  [["fetch", "home/notes:n1"], /answer to fetch is not that of a Rungs server: it has another form/],
  [
    ["query", "notes", "--connection", "home"],
    /does not offer query_records \(GET .*\/query\): it answered with status 404/,
  ],
  [["aggregate", "notes", "--metric", "count"], /does not offer aggregate .*: it answered with status 501/],
  [
    ["query", "old"],
    /does not speak version 2026-07-01.* query_records with status 400, code unsupported_version/,
  ],
  [["blob", "b1"], /does not offer read_blob .*: it answered with status 404/],
  [
    ["export", "-o", join(tmpdir(), "rungs-foreign.ndjson")],
    /does not offer export .*: it answered with status 404, request req-7/,
  ],
];

test("every command says what another server lacks, with its request id, and nothing of what it sent", async (t) => {
  const env = { RUNGS_URL: await openForeign(t), RUNGS_TOKEN: "token" };
  for (const [argv, says] of COMMANDS) {
    const { code, out, err } = await rungsHere(argv, env);
    const said = `${out}\n${err}`;
    assert.notEqual(code, 0, argv.join(" "));
    assert.match(said, says, argv.join(" "));
    assert.doesNotMatch(said, /^(?:rungs: )?internal_error|give the owner/m, argv.join(" "));
    assert.ok(!said.includes(SECRET), argv.join(" "));
  }
});

test("an agent gets the same message from the adapter", async (t) => {
  const client = await startStdio({ RUNGS_URL: await openForeign(t), RUNGS_TOKEN: "token" });
  t.after(() => client.close());
  for (const [name, args, says] of [
    ["schema", {}, /^unexpected_answer: .*schema is not that of a Rungs server/],
    ["query_records", { stream: "notes" }, /^unexpected_answer: .*does not offer query_records/],
    ["search", { query: "tea" }, /^unexpected_answer: .*code unsupported_parameter/],
  ] as const) {
    const { content, isError } = await client.callTool({ name, arguments: args });
    assert.equal(isError, true);
    assert.match((content as { text: string }[])[0]?.text ?? "", says);
  }
});
