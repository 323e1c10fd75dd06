import { hostname } from "node:os";
import { type Login, LoginRefused, startBrowserLogin, startDeviceLogin } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import { foldToLine } from "@rungs/evidence";
import type { Command, CommandCall } from "../command/command.ts";
import { yesOption } from "../command/confirm.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { resolveHome } from "../home/home.ts";
import { findRunning } from "../home/running-server.ts";
import { installHost, printHost } from "../hosts/set-up-host.ts";
import { openBrowser, openCallback } from "../login/callback.ts";
import { plainHttpOption, requireServerUrl } from "../login/client-access.ts";
import { saveLogin } from "../login/logins.ts";

/** `rungs connect`: asks the owner of a server for a grant, and saves its token for the other commands; or sets up a host. */
export const connectCommand: Command = {
  details: [
    "Without a URL it is the server that runs on this machine.",
    "Hosts: claude-code, claude-desktop, codex, gemini-cli, opencode, copilot-cli, cursor, vs-code, chatgpt.",
  ],
  options: {
    print: {
      type: "string",
      value: "HOST",
      about: "print what an MCP host needs to reach the server, and exit",
    },
    install: {
      type: "string",
      value: "HOST",
      about: "show what changes in the configuration of an MCP host, ask, and change it",
    },
    yes: yesOption,
    "token-file": {
      type: "string",
      value: "FILE",
      about:
        "with --print and --install: holds the host's token (env RUNGS_TOKEN); without one it signs in by OAuth",
    },
    device: { type: "boolean", about: "show a code to enter in a browser on another machine" },
    "plain-http": plainHttpOption,
  },
  async run(call) {
    const [print, install] = [call.option("print"), call.option("install")];
    if (print !== undefined) return printHost(call, print);
    if (install !== undefined) return installHost(call, install);
    const named = call.operands[0] ?? findRunning(call)?.url;
    if (named === undefined) throw new UsageError("No server runs here: name one, as rungs connect URL.");
    const url = requireServerUrl(named, call).replace(/\/mcp$/, "");
    const login = await (call.flag("device") ? connectDevice : connectBrowser)(call, url).catch(throwRefusal);
    saveLogin(resolveHome(call), login);
    const { expires_at_ms, client_id } = login;
    const expires_at = expires_at_ms === undefined ? null : new Date(expires_at_ms).toISOString();
    call.io.out(
      call.flag("json")
        ? JSON.stringify({ url, client_id, expires_at })
        : `Connected to ${url}. Try: rungs schema --url ${url}`,
    );
    return Exit.done;
  },
};

async function connectBrowser({ io }: CommandCall, url: string): Promise<Login> {
  const callback = await openCallback();
  try {
    const client_name = describeProgram();
    const login = await startBrowserLogin({ url, client_name, redirect_uri: callback.redirect_uri });
    if (io.watch) openBrowser(login.authorization_url);
    io.err(
      `Open this address in your browser to give access:\n${login.authorization_url}\nWaiting for your answer there; Ctrl-C ends it.`,
    );
    const state = new URL(login.authorization_url).searchParams.get("state") ?? "";
    const { url: answer, say } = await callback.arrival(state);
    try {
      const finished = await login.finish(answer);
      say("Connected. You can close this page.");
      return finished;
    } catch (error) {
      say("Not connected. The program that sent you here says why.");
      throw error;
    }
  } finally {
    callback.close();
  }
}

async function connectDevice({ io }: CommandCall, url: string): Promise<Login> {
  const login = await startDeviceLogin({ url, client_name: describeProgram() });
  const user_code = foldToLine(login.user_code);
  io.err(`Open ${login.verification_uri} in a browser, and check that it shows ${user_code}.`);
  return login.finish();
}

function describeProgram(): string {
  return `rungs on ${hostname()}`;
}

function throwRefusal(error: unknown): never {
  if (!(error instanceof LoginRefused)) throw error;
  throw new ApiError("invalid_token", { message: error.message, next: "Run rungs connect again." });
}
