/** Real clients over real transports. */
import { COMPILE_CACHE, MAIN } from "../cli/program.ts";
import { Client, type McpClient, StdioClientTransport, StreamableHTTPClientTransport } from "./sdk.ts";

/** How a client opens a session: `initialize`, or `server/discover` first. */
export type Era = "legacy" | "auto";

/** The URL of a server, and a token for it. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

/** The transports that every client is driven over. */
export const transports = { http: connectHttp, stdio: connectStdio } as const;

/** How a host starts `rungs mcp` in the given environment, with the compile cache of the tests. */
export function describeStdio(env: Readonly<Record<string, string>>) {
  return {
    command: process.execPath,
    args: ["--conditions=rungs-source", MAIN, "mcp"],
    env: { ...COMPILE_CACHE, ...env },
  };
}

/** Connects to `/mcp`. */
export async function connectHttp({ url, token }: Address, era: Era = "auto"): Promise<McpClient> {
  const client = createClient(era);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

/** Connects to an app in this process: the same bytes, without a socket. */
export async function connectApp(
  app: { readonly fetch: (request: Request) => Response | Promise<Response> },
  token: string,
  era: Era = "auto",
): Promise<McpClient> {
  const client = createClient(era);
  const fetch = async (url: string | URL, init?: RequestInit) => app.fetch(new Request(url, init));
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { requestInit, fetch }),
  );
  return client;
}

/** Starts `rungs mcp` against a server. */
export function connectStdio({ url, token }: Address, era: Era = "auto"): Promise<McpClient> {
  return startStdio({ RUNGS_URL: url, RUNGS_TOKEN: token }, era);
}

/** Starts `rungs mcp` in the given environment. */
export async function startStdio(
  env: Readonly<Record<string, string>>,
  era: Era = "auto",
): Promise<McpClient> {
  const client = createClient(era);
  await client.connect(new StdioClientTransport({ ...describeStdio(env), stderr: "inherit" }));
  return client;
}

function createClient(mode: Era): McpClient {
  return new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
}
