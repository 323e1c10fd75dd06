/** The first five minutes: one command, sample data, a search, and a clean stop. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { READ_NAMES } from "@rungs/contract";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { rungs, splitWords, start } from "../../testing/cli/program.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";
import type { Json } from "../../testing/world.ts";

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "rungs-demo-"));
});
after(() => rmSync(folder, { recursive: true }));

const home = () => join(folder, "home");

/** Starts the demo and waits for the end of its output. */
async function startDemo(t: TestContext, ...more: string[]) {
  const program = start(["demo", "--home", home(), "--port", "0", ...more], { HOME: folder });
  t.after(() => program.kill("SIGTERM"));
  const end = once(program, "close");
  let [out, err] = ["", ""];
  program.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  await new Promise<void>((resolve) => {
    program.stdout.on("data", (chunk: Buffer) => {
      out += chunk;
      if (more.includes("--json") ? out.endsWith("\n") : out.includes("--print")) resolve();
    });
    void end.then(() => resolve());
  });
  const stop = async () => {
    program.kill("SIGINT");
    program.kill("SIGINT");
    const [code] = await end;
    return { code, out, err };
  };
  return { out, stop };
}

test("demo serves sample data under a grant, says how to connect, and stops on Ctrl-C", async (t) => {
  const demo = await startDemo(t);
  assert.ok(demo.out.trim().split("\n").length <= 12, demo.out);
  assert.match(demo.out, /new sample data/);
  const line = demo.out.split("\n").find((text) => text.includes("npx rungs search"))!;
  const found = await rungs(splitWords(line).slice(2), {});
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /^mail-home\/messages:m-0098\n[^\n]*⟦cellar⟧[^\n]*blue pot/);
  const stopped = await demo.stop();
  assert.deepEqual([stopped.code, stopped.err], [0, ""]);
  assert.match(stopped.out, /Stopped\./);
  assert.equal(statSync(join(home(), "demo-token")).mode & 0o777, 0o600);
});

test("the second start has the same data and the same token, for REST and for MCP", async (t) => {
  const demo = await startDemo(t, "--json");
  const { url, token, is_new } = JSON.parse(demo.out);
  assert.equal(is_new, false);
  const headers = { Authorization: `Bearer ${token}` };
  const ask = async (path: string) => (await (await fetch(`${url}${path}`, { headers })).json()) as Json;
  const { streams } = await ask("/v1/schema");
  assert.deepEqual(new Set(streams.map((each: { connection_id: string }) => each.connection_id)).size, 5);
  assert.ok(!JSON.stringify(streams).includes("private_note"));
  for (const q of ["清水寺", "القهوة", "derailleur", "lemons"]) {
    const { data } = await ask(`/v1/search?q=${encodeURIComponent(q)}`);
    assert.ok(data.length > 0 && data[0].evidence.length > 0, q);
  }
  const { error } = await ask("/v1/streams/messages/records/m-0001");
  assert.equal(error.code, "ambiguous_connection");
  const { data: documents } = await ask("/v1/streams/documents/records");
  const file = documents.find((each: { id: string }) => each.id === "accounts").data.file;
  assert.equal((await fetch(`${url}/v1/blobs/${file.blob_id}`, { headers })).status, 200);
  const client = await connectHttp({ url, token });
  t.after(() => client.close());
  assert.equal((await client.listTools()).tools.length, READ_NAMES.length);
  assert.equal((await demo.stop()).code, 0);
});

test("demo refuses a directory with other data, and takes no database", async () => {
  const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;
  const records = new URL("../../examples/notes/records.ndjson", import.meta.url).pathname;
  const other = join(folder, "own");
  const bring = ["import", records, "--as", "records", "--manifest", manifest, "--connection", "notes"];
  await rungsHere([...bring, "--home", other], {});
  const refused = await rungsHere(["demo", "--home", other], {});
  assert.deepEqual([refused.code, /holds other data/.test(refused.err)], [2, true]);
  assert.equal((await rungsHere(["demo", "--database", "postgres://x"], {})).code, 2);
});
