/** The MCP SDK's own OAuth clients, given only the URL of `/mcp`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, createKeeper, finish } from "../../testing/oauth/sdk-clients.ts";
import { agree, CALLBACK, onEveryServer } from "../../testing/oauth/served.ts";

/** A person may use any of the loopback names. */
const names = [
  ["2.x", "127.0.0.1"],
  ["2.x", "localhost"],
  ["1.x", "127.0.0.1"],
  ["1.x", "localhost"],
] as const;

for (const [version, name] of names) {
  const { transport, client } = clients[version];
  onEveryServer((served) => {
    test(`R50 the SDK's OAuth client (${version}) gets from ${name} to reads on its own`, async (t) => {
      const keeper = createKeeper(CALLBACK);
      const endpoint = new URL(`${served().url.replace("127.0.0.1", name)}/mcp`);
      const first = transport(endpoint, keeper as never);
      await assert.rejects(client().connect(first as never));
      const callback = await agree(served(), String(keeper.kept.url));
      await finish(first, callback);
      const connected = client();
      t.after(() => connected.close());
      await connected.connect(transport(endpoint, keeper as never) as never);
      const { tools } = (await connected.listTools()) as { tools: { name: string }[] };
      assert.ok(tools.some(({ name }) => name === "search"));
      const found = (await connected.callTool({
        name: "search",
        arguments: { query: "insidemarker" },
      })) as never;
      assert.notEqual((found as { isError?: boolean }).isError, true);
    });
  });
}
