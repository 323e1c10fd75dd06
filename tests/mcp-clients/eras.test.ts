/** Every revision of the protocol, spoken by the protocol's own clients. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { READ_NAMES } from "@rungs/contract";
import { linksOf } from "../../testing/mcp/answers.ts";
import { describeStdio, transports } from "../../testing/mcp/connect.ts";
import { FirstClient, FirstHttpTransport, FirstStdioTransport } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

const WINDOW = { id: "home/notes:n1", field_path: "body" };

describe("eras", { concurrency: true }, () => {
  let served: ServedWorld;
  before(async () => {
    served = await serveWorld("sqlite");
  });
  after(() => served?.close());

  for (const [transport, connect] of Object.entries(transports)) {
    for (const era of ["legacy", "auto"] as const) {
      test(`the 2.x client works over ${transport}, opening as ${era}`, async (t) => {
        const client = await connect({ url: served.url, token: served.world.client }, era);
        t.after(() => client.close());
        assert.equal((await client.listTools()).tools.length, READ_NAMES.length);
        const { structuredContent } = await client.callTool({ name: "read_record_field", arguments: WINDOW });
        assert.equal((structuredContent as { window: { complete: boolean } }).window.complete, true);
        assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 5);
      });
    }
  }

  const createFirst = {
    http: () =>
      new FirstHttpTransport(new URL(`${served.url}/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${served.world.client}` } },
      }),
    stdio: () =>
      new FirstStdioTransport(describeStdio({ RUNGS_URL: served.url, RUNGS_TOKEN: served.world.client })),
  };
  for (const [transport, create] of Object.entries(createFirst)) {
    test(`the 1.x client works over ${transport}`, async (t) => {
      const client = new FirstClient({ name: "first", version: "1.0.0" });
      t.after(() => client.close());
      await client.connect(create() as Parameters<typeof client.connect>[0]);
      assert.equal((await client.listTools()).tools.length, READ_NAMES.length);
      const { structuredContent } = await client.callTool({ name: "read_record_field", arguments: WINDOW });
      assert.equal((structuredContent as { window: { complete: boolean } }).window.complete, true);
      const { _meta } = await client.callTool({ name: "search", arguments: { query: "tea" } });
      const { field_windows } = linksOf(_meta);
      assert.equal((await client.readResource({ uri: field_windows[0]!.uri })).contents.length, 1);
    });
  }
});
