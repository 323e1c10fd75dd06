/** The protocol's own clients, given nothing but the address of `/mcp`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Client,
  FirstClient,
  FirstHttpTransport,
  StreamableHTTPClientTransport,
} from "../mcp-clients/sdk.ts";
import { agree, CALLBACK, onEveryServer } from "./served.ts";

/** Keeps what the SDK asks to be kept, and the address that it sends the browser to. */
function createKeeper() {
  const kept: Record<string, unknown> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  return {
    kept,
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "SDK client",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.client,
    saveClientInformation: keep("client"),
    tokens: () => kept.tokens,
    saveTokens: keep("tokens"),
    redirectToAuthorization: keep("url"),
    saveCodeVerifier: keep("verifier"),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: keep("discovery"),
    discoveryState: () => kept.discovery,
  };
}

const clients = {
  "2.x": {
    transport: (url: URL, authProvider: never) => new StreamableHTTPClientTransport(url, { authProvider }),
    client: () => new Client({ name: "test", version: "1" }),
  },
  "1.x": {
    transport: (url: URL, authProvider: never) => new FirstHttpTransport(url, { authProvider }),
    client: () => new FirstClient({ name: "test", version: "1" }),
  },
};

/** A person may call this machine by any of its names. */
const names = [
  ["2.x", "127.0.0.1"],
  ["2.x", "localhost"],
  ["1.x", "127.0.0.1"],
  ["1.x", "localhost"],
] as const;

for (const [version, name] of names) {
  const { transport, client } = clients[version];
  onEveryServer((served) => {
    test(`R50 the SDK's OAuth client (${version}) gets from ${name} to reads on its own`, async () => {
      const keeper = createKeeper();
      const endpoint = new URL(`${served().url.replace("127.0.0.1", name)}/mcp`);
      const first = transport(endpoint, keeper as never);
      await assert.rejects(client().connect(first as never));
      const callback = await agree(served(), String(keeper.kept.url));
      await finish(first, callback);
      const connected = client();
      await connected.connect(transport(endpoint, keeper as never) as never);
      const { tools } = (await connected.listTools()) as { tools: { name: string }[] };
      assert.ok(tools.some(({ name }) => name === "search"));
      const found = (await connected.callTool({
        name: "search",
        arguments: { query: "insidemarker" },
      })) as never;
      assert.notEqual((found as { isError?: boolean }).isError, true);
      await connected.close();
    });
  });
}

async function finish(
  transport: { finishAuth(...args: never[]): Promise<void> },
  callback: URL,
): Promise<void> {
  await (transport.finishAuth as (params: unknown) => Promise<void>)(
    transport instanceof FirstHttpTransport ? callback.searchParams.get("code") : callback.searchParams,
  );
}
