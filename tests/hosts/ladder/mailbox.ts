/** The sample mailbox in a home, read over both transports; what Rungs sends is recorded. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeHosts, describeStdioHosts, type HostSetup } from "@rungs/client";
import { openPlace } from "rungs/internal/database";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { rungsHere } from "../../../testing/cli/in-process.ts";
import { BIN } from "../../../testing/cli/program.ts";
import { writeMailbox } from "./samples.ts";
import { readResults, type ToolResult } from "./seen.ts";

export type Transport = "stdio" | "HTTP";

/** The configuration for one run of a host, and Rungs' answers in it so far. */
export interface Connection {
  readonly setups: readonly HostSetup[];
  results(): readonly ToolResult[];
}

export interface Mailbox {
  connect(transport: Transport): Connection;
  close(): Promise<void>;
}

const TEE = fileURLToPath(new URL("tee.ts", import.meta.url));

/** Imports the mailbox, grants all of it, and serves it. */
export async function openMailbox(): Promise<Mailbox> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-hosts-"));
  const home = join(folder, "home");
  const token = await fillHome(folder, home);
  const store = await openPlace({ kind: "sqlite", file: join(home, "rungs.db"), home });
  let sent: string[] = [];
  let runs = 0;
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object): Promise<Response> => {
    const response = await (await opened.promise).app.fetch(request, env);
    if (request.method !== "POST" || !request.url.endsWith("/mcp")) return response;
    const body = await response.text();
    sent.push(body);
    return new Response(response.status === 202 ? null : body, response);
  };
  const { url, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  opened.resolve(await openApp(store, { url }));
  return {
    connect(transport) {
      if (transport === "HTTP") {
        sent = [];
        return { setups: describeHosts(url, token), results: () => readResults(sent.join("\n")) };
      }
      runs += 1;
      const copy = join(folder, `run-${runs}.ndjson`);
      writeFileSync(copy, "");
      const args = [TEE, copy, process.execPath, BIN, "mcp"];
      const env = { RUNGS_HOME: home, RUNGS_TOKEN: token };
      const setups = describeStdioHosts({ command: process.execPath, args, env });
      return { setups, results: () => readResults(readFileSync(copy, "utf8")) };
    },
    async close() {
      await stop();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns the token of a grant over the whole mailbox. */
async function fillHome(folder: string, RUNGS_HOME: string): Promise<string> {
  const file = join(folder, "ladder.mbox");
  writeFileSync(file, writeMailbox());
  const imported = await rungsHere(["import", file, "--connection", "mail"], { RUNGS_HOME });
  assert.equal(imported.code, 0, imported.err);
  const grant = ["grant", "create", "--client", "host", "--allow", "mail/*", "--json"];
  const made = await rungsHere(grant, { RUNGS_HOME });
  assert.equal(made.code, 0, made.err);
  return JSON.parse(made.out).token;
}
