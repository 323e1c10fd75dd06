import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, describeStdioHosts } from "@rungs/client";
import { ApiError, errorBodySchema } from "@rungs/contract";
import { type Backend, serveOverStdio } from "@rungs/mcp";
import { PROGRAM_VERSION } from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, GET_TOKEN } from "../command/exit.ts";
import { describePlace, openExistingStore } from "../home/database.ts";
import { HERE, openLocalFetch } from "../home/local-server.ts";
import { findTokenKind } from "../http/mcp-endpoint.ts";
import { type ClientAccess, clientOptions, findAccess } from "../login/client-access.ts";

/** `rungs mcp`: the MCP adapter over stdio, for one host under one client token. */
export const mcp: Command = {
  options: {
    ...clientOptions,
    config: { type: "boolean", about: "print what each host needs to start this command, and exit" },
  },
  async run(call) {
    if (call.flag("config")) return printConfig(call);
    const access = findAccess(call);
    if (!access) return refuse(call, Exit.unauthenticated, `There is no token. ${GET_TOKEN}`);
    const { base_url, token } = access;
    return base_url === undefined ? serveHere(call, await token()) : serveRemote(call, token, base_url);
  },
};

/** Prints the configuration of each host: with this Node, and with the home and token that this command was given. */
function printConfig(call: CommandCall): number {
  const { io, option, flag } = call;
  const [home, token_file] = [option("home") ?? io.env.RUNGS_HOME, option("token-file")];
  const bin = fileURLToPath(new URL("../../bin/rungs.js", import.meta.url));
  const hosts = describeStdioHosts({
    command: process.execPath,
    args: [
      bin,
      "mcp",
      ...(home === undefined ? [] : ["--home", resolve(home)]),
      ...(token_file === undefined ? [] : ["--token-file", resolve(token_file)]),
    ],
    env: token_file === undefined ? { RUNGS_TOKEN: "YOUR-TOKEN" } : {},
  });
  io.out(
    flag("json")
      ? JSON.stringify({ hosts })
      : hosts.map(({ host, where, text }) => `${host} (${where})\n${text.replace(/^/gm, "  ")}`).join("\n\n"),
  );
  return Exit.done;
}

/** Asks the server whose token it is before the MCP host gets any answer. */
async function serveRemote(
  call: CommandCall,
  token: ClientAccess["token"],
  base_url: string,
): Promise<number> {
  const state = await probeToken(base_url, await token());
  if (state === "unreachable") {
    return refuse(
      call,
      Exit.unreachable,
      `No Rungs server answers at ${base_url}. Run rungs serve there, or correct RUNGS_URL.`,
    );
  }
  if (state !== "client") return refuseToken(call, state, base_url);
  return serve(call, () => ({ client: createClient({ base_url, token }), base_url }));
}

/** How a server answers a token. */
type ProbedToken = "client" | "owner" | "invalid" | "unreachable";

const PROBE_MS = 10_000;

/** Sends the token to the server's MCP endpoint, which accepts only a client's and checks it before the method. */
async function probeToken(base_url: string, token: string): Promise<ProbedToken> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  const signal = AbortSignal.timeout(PROBE_MS);
  const answer = await fetch(`${base_url}/mcp`, { headers, signal, redirect: "error" }).catch(
    () => undefined,
  );
  if (answer?.status === 405) return "client";
  if (answer?.ok) {
    // Another server opens a stream there.
    await answer.body?.cancel();
    return "client";
  }
  if (answer?.status === 401) return "invalid";
  const body = errorBodySchema.safeParse(await answer?.json().catch(() => undefined));
  return body.data?.error.code === "client_token_required" ? "owner" : "unreachable";
}

/** Serves the local database through an in-process resource server, which enforces the same rules. */
async function serveHere(call: CommandCall, token: string): Promise<number> {
  const store = await openExistingStore(call);
  try {
    const fetch = await openLocalFetch(store);
    const kind = await findTokenKind(token, store, Date.now(), HERE).catch(asInvalid);
    if (kind !== "client") return refuseToken(call, kind, describePlace(call));
    return await serve(call, () => ({
      client: createClient({ base_url: HERE, token, fetch }),
      base_url: undefined,
    }));
  } finally {
    await store.close();
  }
}

async function serve(
  call: CommandCall,
  connect: () => Pick<Backend, "client" | "base_url">,
): Promise<number> {
  const report = (error: unknown) =>
    call.io.err(error instanceof Error ? `rungs: ${error.name}` : "rungs: failed");
  await serveOverStdio({ version: PROGRAM_VERSION, connect: () => ({ ...connect(), report }) }, report);
  return Exit.done;
}

function asInvalid(error: unknown): "invalid" {
  if (error instanceof ApiError) return "invalid";
  throw error;
}

function refuseToken(call: CommandCall, kind: "owner" | "invalid", place: string): number {
  const problem =
    kind === "owner"
      ? "The token is the owner's, which an agent must never get."
      : `The token is unknown in ${place}, or no longer valid; --home, RUNGS_HOME or --url choose another place.`;
  return refuse(call, Exit.unauthenticated, `${problem} ${GET_TOKEN}`);
}

function refuse({ io }: CommandCall, code: number, sentence: string): number {
  io.err(`rungs: ${sentence}`);
  return code;
}
