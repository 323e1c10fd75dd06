/** The OAuth clients of the protocol's own SDKs. */
import { Client, FirstClient, FirstHttpTransport, StreamableHTTPClientTransport } from "../mcp/sdk.ts";

/** Stores the SDK's state, and the address that it sends the browser to. */
export function createKeeper(callback: string) {
  const kept: Record<string, unknown> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  return {
    kept,
    redirectUrl: callback,
    clientMetadata: {
      client_name: "SDK client",
      redirect_uris: [callback],
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

/** The SDK in both of its versions. */
export const clients = {
  "2.x": {
    transport: (url: URL, authProvider: never) => new StreamableHTTPClientTransport(url, { authProvider }),
    client: () => new Client({ name: "test", version: "1" }),
  },
  "1.x": {
    transport: (url: URL, authProvider: never) => new FirstHttpTransport(url, { authProvider }),
    client: () => new FirstClient({ name: "test", version: "1" }),
  },
};

/** Passes the code from the redirect to the SDK. */
export async function finish(
  transport: { finishAuth(...args: never[]): Promise<void> },
  callback: URL,
): Promise<void> {
  await (transport.finishAuth as (params: unknown) => Promise<void>)(
    transport instanceof FirstHttpTransport ? callback.searchParams.get("code") : callback.searchParams,
  );
}
