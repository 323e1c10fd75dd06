/** Outbound connections: in real runs of the program, and in its code. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MAIN } from "../../testing/cli/program.ts";
import { createMessages } from "../../testing/files/mbox.ts";
import { type MailServer, PASSWORD, USER } from "../../testing/imap/mail-account.ts";
import { MAIL_SERVER, openMailbox, startMailServer } from "../../testing/imap/mail-server.ts";
import { writeMessage } from "../../testing/imap/sync-world.ts";
import { describeStdio } from "../../testing/mcp/connect.ts";
import { Client, StdioClientTransport } from "../../testing/mcp/sdk.ts";
import { until } from "../../testing/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RECORDER = pathToFileURL(join(ROOT, "testing/network/record-outbound.ts")).href;
const folder = mkdtempSync(join(tmpdir(), "rungs-outbound-"));
const outbound = join(folder, "outbound.txt");
const env = {
  PATH: process.env.PATH ?? "",
  RUNGS_HOME: join(folder, "home"),
  RUNGS_TEST_OUTBOUND: outbound,
  // Child processes inherit it.
  NODE_OPTIONS: `--import=${RECORDER}`,
  MAIL_PASSWORD: PASSWORD,
};
let mail: MailServer;
before(async () => {
  mail = await startMailServer();
  const box = await openMailbox(mail);
  await box.append("INBOX", writeMessage("one@x", { body: "The quince harvest." }));
  await box.logout();
});
after(async () => {
  await mail?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(...argv: string[]): ChildProcess {
  const all = ["--conditions=rungs-source", MAIN, ...argv];
  return spawn(process.execPath, all, { env, stdio: ["ignore", "pipe", "inherit"] });
}

async function run(...argv: string[]): Promise<string> {
  const program = start(...argv);
  const ended = once(program, "exit");
  const printed = program.stdout ? await text(program.stdout) : "";
  assert.deepEqual((await ended)[0], 0, argv.join(" "));
  return printed;
}

/** The records since the last call: how many processes started, and which hosts they contacted. */
function takeRecorded(): { processes: number; reached: string[] } {
  const lines = readFileSync(outbound, "utf8").split("\n").filter(Boolean);
  writeFileSync(outbound, "");
  const reached = [...new Set(lines.filter((line) => line !== "started"))];
  return { processes: lines.length - lines.filter((line) => line !== "started").length, reached };
}

test(`R79 imports, the server and MCP connect to nothing, and a sync to the host that its source names (${MAIL_SERVER})`, async (t) => {
  const mbox = join(folder, "mail.mbox");
  writeFileSync(mbox, createMessages().take(20).toArray().join(""));
  // A page that references pictures, a style sheet and a script on other hosts.
  const page = `<html><link rel=stylesheet href="http://192.0.2.1/a.css"><img src="http://192.0.2.1/a.png"><script src="//192.0.2.1/a.js"></script><p>Quince</p></html>`;
  writeFileSync(join(folder, "page.html"), page);
  await run("import", mbox);
  await run("import", join(folder, "page.html"));
  assert.deepEqual(takeRecorded(), { processes: 2, reached: [] });

  const grant = ["grant", "create", "--client", "host", "--allow", "mail/*", "--json"];
  const { token } = JSON.parse(await run(...grant)) as { token: string };
  const stdio = new Client({ name: "outbound", version: "1" });
  const host = describeStdio({ ...env, RUNGS_TOKEN: token });
  await stdio.connect(new StdioClientTransport({ ...host, stderr: "inherit" }));
  await stdio.callTool({ name: "search", arguments: { query: "harbour" } });
  await stdio.close();
  assert.deepEqual(takeRecorded().reached, []);

  const address = `imap+plain://${USER}@127.0.0.1:${mail.port}`;
  await run("sync", "add", "imap", address, "--id", "box", "--password-env", "MAIL_PASSWORD");
  await run("sync", "run", "box");
  assert.deepEqual(takeRecorded().reached, [`connect 127.0.0.1:${mail.port}`]);

  const server = start("serve", "--port", "0");
  t.after(() => server.kill("SIGTERM"));
  let printed = "";
  server.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0]);
  for (const path of ["/", "/console", "/.well-known/oauth-authorization-server", "/v1/schema"])
    await (await fetch(`${url}${path}`)).arrayBuffer();
  // The process beside the server, which runs the sync.
  await until(() => /connect/.exec(readFileSync(outbound, "utf8"))?.[0]);
  const served = takeRecorded();
  assert.ok(served.processes >= 2, `${served.processes}`);
  assert.deepEqual(served.reached, [`connect 127.0.0.1:${mail.port}`]);
});

/** Every file that can open a connection, and its destinations. Add new ones here, with their bounds. */
const OPENERS: Readonly<Record<string, string>> = {
  "packages/cli/src/commands/mcp.ts": "the server that --url names",
  "packages/cli/src/http/trace-exporter.ts": "the collector that --traces names",
  "packages/client/src/client.ts": "the server that --url names",
  "packages/client/src/oauth/request-document.ts": "the server that --url names",
  "packages/client/src/oauth/browser-login.ts": "the server that --url names",
  "packages/client/src/oauth/device-login.ts": "the server that --url names",
  "packages/client/src/oauth/login.ts": "the server that --url names",
  "packages/client/src/send.ts": "the server that --url names",
  "packages/mcp/src/http.ts": "this process: it answers a request",
  "packages/server/src/access/remote/authorization-server.ts": "the authorization server of the settings",
  "packages/server/src/events/send-event.ts": "the address that a subscriber proved to own",
  "packages/server/src/oauth/provider/client-documents.ts": "a route is looked up, and nothing is sent",
  "packages/server/src/oauth/provider/fetch-public.ts": "the public address of a client that signs in",
  "packages/sources/src/dav/session.ts": "the hosts of a source",
  "packages/sources/src/imap/session.ts": "the host of a source",
  "packages/sources/src/send-request.ts": "the hosts of a source",
  "packages/store/src/postgres/owner-pool.ts": "a setting is quoted, and nothing is opened",
  "packages/store/src/postgres/pool.ts": "the database of the settings",
  "packages/store/src/vectors/endpoint-request.ts": "the embedding service of the settings",
};

/** What opens a connection: Node's clients, `fetch` and the libraries that have one. Type imports open none. */
const OPENS = new RegExp(
  [
    String.raw`import (?!type)[^;]*\b(?:request|get|connect|createConnection|createSocket|Socket|lookup|resolve)\b[^;]*from "node:(?:net|tls|https?|http2|dgram|dns)(?:/promises)?"`,
    `import (?!type)[^;{]* from "node:(?:net|tls|https?|http2|dgram|dns)(?:/promises)?"`,
    `import (?!type)[^;]*from "(?:imapflow|undici|pg)"`,
    String.raw`\bcreateAccount\b|\bcreateRemoteJWKSet\b|\bglobalThis\.fetch\b|new (?:WebSocket|EventSource)\b`,
    String.raw`(?<![.\w]|async )fetch\(`,
  ].join("|"),
);

test("R79 only files with a named reason can open a connection", () => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: ROOT }).filter(
    (file) =>
      !/\.test\.ts$|\/suite\//.test(file) &&
      // Runs in a browser, under a policy that allows only this server.
      !file.startsWith("packages/console/src/ui/script/") &&
      // Blocks the network.
      !file.endsWith("/close-network.ts"),
  );
  const openers = files.filter((file) => OPENS.test(readFileSync(join(ROOT, file), "utf8")));
  assert.deepEqual(openers.sort(), Object.keys(OPENERS).sort());
});
