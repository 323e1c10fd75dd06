/** An OAuth client that registers itself, with a server for its redirect URI. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../world.ts";

export interface Agent {
  /** The authorization URL. */
  authorizationUrl(details?: readonly object[]): string;
  readonly callback: string;
  /** Exchanges the code from the redirect for a token. */
  exchange(callback: string): Promise<Json>;
  /** Starts the device flow (RFC 8628). */
  askByDevice(): Promise<Device>;
  stop(): void;
}

export interface Device {
  readonly user_code: string;
  /** Polls for the device's token. */
  poll(): Promise<Json>;
}

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

export async function createAgent(url: string, client_name: string): Promise<Agent> {
  const server = createServer((_request, response) => response.end("back at the agent"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const verifier = randomBytes(32).toString("base64url");
  const registered = await postJson(`${url}/oauth/register`, { client_name, redirect_uris: [redirect_uri] });
  const { client_id } = registered;
  return {
    callback: redirect_uri,
    authorizationUrl(details) {
      const query = new URLSearchParams({
        client_id,
        response_type: "code",
        redirect_uri,
        state: "s",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        resource: `${url}/mcp`,
        ...(details ? { authorization_details: JSON.stringify(details) } : {}),
      });
      return `${url}/oauth/authorize?${query}`;
    },
    async exchange(callback) {
      const code = new URL(callback).searchParams.get("code") ?? "";
      const form = {
        grant_type: "authorization_code",
        client_id,
        code,
        code_verifier: verifier,
        redirect_uri,
      };
      return postForm(`${url}/oauth/token`, form);
    },
    async askByDevice() {
      const { user_code, device_code } = await postForm(`${url}/oauth/device`, { client_id });
      const form = { grant_type: DEVICE_GRANT, client_id, device_code };
      return { user_code, poll: () => postForm(`${url}/oauth/token`, form) };
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function postJson(url: string, value: object): Promise<Json> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(value) });
  assert.equal(answer.status, 201);
  return answer.json();
}

async function postForm(url: string, form: Record<string, string>): Promise<Json> {
  return (await fetch(url, { method: "POST", body: new URLSearchParams(form) })).json();
}
