/** Who gets in, over HTTP and over stdio. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { describeStdio } from "../../testing/mcp/connect.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

describe("access", { concurrency: true }, () => {
  let served: ServedWorld;
  const folder = mkdtempSync(join(tmpdir(), "rungs-mcp-"));
  before(async () => {
    served = await serveWorld("sqlite");
  });
  after(async () => {
    await served?.close();
    rmSync(folder, { recursive: true });
  });

  const post = (token: string | undefined) =>
    served.world.app.request("/mcp", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });

  test("RFC 9728 /mcp without a token is 401 with a link to the resource metadata", async () => {
    const answer = await post(undefined);
    assert.equal(answer.status, 401);
    const challenge = answer.headers.get("WWW-Authenticate") ?? "";
    const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const described = (await (await served.world.app.request(metadata)).json()) as { resource: string };
    assert.equal(described.resource, "http://localhost/mcp");
  });

  test("R50 /mcp refuses an unknown token with 401 and an owner's with 403", async () => {
    const unknown = await post("rungs_unknown");
    assert.equal(unknown.status, 401);
    assert.match(unknown.headers.get("WWW-Authenticate") ?? "", /error="invalid_token"/);
    const owner = await post(served.world.owner);
    assert.equal(owner.status, 403);
    assert.equal(((await owner.json()) as { error: { code: string } }).error.code, "client_token_required");
    const client = await post(served.world.client);
    assert.equal(client.status, 200);
    for (const { headers } of [unknown, owner, client]) {
      assert.ok(headers.get("Request-Id"));
      assert.match(headers.get("Cache-Control") ?? "", /no-store/);
    }
  });

  test("R53 no error repeats the token", async () => {
    for (const token of ["rungs_unknown", served.world.owner])
      assert.ok(!(await (await post(token)).text()).includes(token));
  });

  const run = (env: Record<string, string>, ...flags: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const { command, args, ...rest } = describeStdio({ RUNGS_HOME: folder, ...env });
      const child = execFile(command, [...args, ...flags], rest, (error, out, err) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
      });
      child.stdin?.end();
    });

  test("R50 rungs mcp without a token, or with the owner's, exits with 3 and names the command to run", async () => {
    const file = join(folder, "token");
    writeFileSync(file, `${served.world.owner}\n`);
    const cases = [
      run({}),
      run({ RUNGS_URL: served.url, RUNGS_TOKEN: served.world.owner }),
      run({ RUNGS_URL: served.url, RUNGS_TOKEN: "rungs_unknown" }),
      run({ RUNGS_URL: served.url }, "--token-file", file),
    ];
    for (const { code, out, err } of await Promise.all(cases)) {
      assert.deepEqual([code, out], [3, ""], err);
      assert.match(err, /^rungs: .*rungs grant create.*\n$/);
    }
  });

  test("rungs mcp exits with 4 when no server answers, and names the command to run", async () => {
    const { code, out, err } = await run({ RUNGS_URL: "http://127.0.0.1:9", RUNGS_TOKEN: "t" });
    assert.deepEqual([code, out], [4, ""]);
    assert.match(
      err,
      /^rungs: No Rungs server answers at http:\/\/127\.0\.0\.1:9\. Run rungs serve there.*\n$/,
    );
  });

  test("rungs mcp writes only protocol messages to stdout", async (t) => {
    const env = { RUNGS_HOME: folder, RUNGS_URL: served.url, RUNGS_TOKEN: served.world.client };
    const { command, args, ...rest } = describeStdio(env);
    const child = spawn(command, args, { ...rest, stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill());
    const clientInfo = { name: "raw", version: "1" };
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "fetch", arguments: { id: "no id" } } },
      { id: 3, method: "no/such", params: {} },
    ];
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const answered = new Set<number>();
    for await (const line of createInterface(child.stdout)) {
      const { jsonrpc, id } = JSON.parse(line);
      assert.equal(jsonrpc, "2.0");
      answered.add(id);
      if (answered.size === 3) child.stdin.end();
    }
    assert.deepEqual([...answered].toSorted(), [1, 2, 3]);
  });

  test("rungs mcp ends silently when its host kills it", async () => {
    const env = { RUNGS_HOME: folder, RUNGS_URL: served.url, RUNGS_TOKEN: served.world.client };
    const { command, args, ...rest } = describeStdio(env);
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const child = spawn(command, args, { ...rest, stdio: ["pipe", "pipe", "pipe"] });
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
      await once(child.stdout, "data");
      let err = "";
      child.stderr.on("data", (chunk) => {
        err += chunk;
      });
      child.kill(signal);
      const [code] = await once(child, "close");
      assert.deepEqual([code, err], [0, ""], signal);
    }
  });

  test("rungs mcp exits with 0 when its host disconnects", async () => {
    const { code, out } = await run({ RUNGS_URL: served.url, RUNGS_TOKEN: served.world.client });
    assert.deepEqual([code, out], [0, ""]);
  });
});
