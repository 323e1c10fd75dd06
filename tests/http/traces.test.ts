/** Spans for an OpenTelemetry collector: one for each request, in the caller's trace, without content. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome } from "../../testing/cli/notes-home.ts";
import { start } from "../../testing/cli/program.ts";
import { until } from "../../testing/until.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test("R79 spans go to the collector that the owner names, with no word of a record, a query or a token", async (t) => {
  const notes = await createNotesHome();
  t.after(() => notes.remove());
  const bodies: string[] = [];
  let status = 503;
  const collector = createServer(async (request, response) => {
    bodies.push(`${request.url} ${request.headers["x-key"]} ${await text(request)}`);
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  t.after(() => collector.close());
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  const traces = ["--traces", `http://127.0.0.1:${port}`];
  const env = { ...notes.env, OTEL_EXPORTER_OTLP_HEADERS: "x-key=k=1" };
  const server = start(["serve", "--port", "0", "--json", "--slow-queries", "0", ...traces], env);
  t.after(() => server.kill("SIGTERM"));
  const errors = text(server.stderr);
  let printed = "";
  server.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  while (!printed.includes("\n")) await new Promise((resolve) => server.stdout.once("data", resolve));
  const { url } = JSON.parse(printed) as { url: string };
  const headers = { authorization: `Bearer ${notes.env.RUNGS_TOKEN}` };
  const ask = async (path: string, more: Record<string, string> = {}) =>
    (await fetch(url + path, { headers: { ...headers, ...more } })).text();
  await ask("/v1/search?q=derailleur", { traceparent: `00-${TRACE}-${PARENT}-01` });
  await ask("/v1/search?q=kohlrabi", { traceparent: `00-${"0".repeat(32)}-${PARENT}-01; DROP` });
  await until(() => bodies.length > 0);
  status = 200;
  await ask("/v1/nothing");
  server.kill("SIGTERM");
  const logged = await errors;
  assert.match(logged, /Traces cannot be sent \(status 503\).*\n(?:.*\n)*.*Traces are sent again/);
  const lines = logged.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const request = lines.find((line) => line.operation === "search" && line.status === 200);
  const slow = lines.filter((line) => line.slow_query && line.request_id === request.request_id);
  assert.ok(slow.length > 3, `${slow.length} statements of a search`);
  for (const { operation, slow_query } of slow)
    assert.deepEqual([operation, slow_query.engine, slow_query.plan.length > 0], ["search", "sqlite", true]);
  assert.doesNotMatch(logged, /derailleur|kohlrabi/);
  const spans = bodies.flatMap(
    (body) => JSON.parse(body.slice(body.indexOf("{"))).resourceSpans[0].scopeSpans[0].spans,
  );
  const [first, second] = spans.filter(({ name }) => name === "search");
  assert.deepEqual([first.traceId, first.parentSpanId, first.kind], [TRACE, PARENT, 2]);
  assert.notEqual(second.traceId, TRACE);
  assert.equal(second.parentSpanId, undefined);
  assert.ok(BigInt(first.endTimeUnixNano) > BigInt(first.startTimeUnixNano));
  assert.ok(bodies.every((body) => body.startsWith("/v1/traces k=1 {")));
  assert.doesNotMatch(bodies.join(), new RegExp(`derailleur|kohlrabi|notes|${notes.env.RUNGS_TOKEN}`));
});

test("R140 the threshold of slow statements is in milliseconds", async () => {
  for (const text of ["-1", "1.5", "fast"]) {
    const { code, err } = await rungsHere(["serve", `--slow-queries=${text}`], { RUNGS_HOME: "/nowhere" });
    assert.deepEqual([code, /--slow-queries takes milliseconds/.test(err)], [2, true], err);
  }
});

test("R79 an address beyond this machine must be encrypted", async () => {
  for (const address of ["http://collector.example:4318", "collector", "ftp://127.0.0.1"]) {
    const { code, err } = await rungsHere(["serve", "--traces", address], { RUNGS_HOME: "/nowhere" });
    assert.deepEqual([code, /--traces takes an https address/.test(err)], [2, true], err);
  }
});
