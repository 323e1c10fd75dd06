import { describeHosts } from "@rungs/client";
import type { Command } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { DEFAULT_PORT, requirePort } from "../command/option-values.ts";
import { type Prepared, prepareDemo } from "../demo/prepare.ts";
import { openServedHome } from "../home/database.ts";
import { resolveDemoHome } from "../home/home.ts";
import { type Served, serveStore } from "../http/serve-store.ts";
import { formatCommandLine } from "../reads/command-line.ts";

const FIRST_QUERY = "where is the spare key to the cellar?";

/** `rungs demo`: a server with sample data, a grant and a token to try it with. */
export const demo: Command = {
  options: { port: { type: "string", value: "N", about: "the port to listen on; 7717 by default" } },
  async run(call) {
    const { option, flag, io } = call;
    if (option("database") !== undefined) {
      throw new UsageError("rungs demo uses its own database: leave --database out, or choose a --home.");
    }
    const port = requirePort(option("port") ?? DEFAULT_PORT);
    const home = resolveDemoHome(call);
    const store = await openServedHome(home);
    try {
      const prepared = await prepareDemo(store, home);
      await serveStore(store, { host: "127.0.0.1", port, hosts: [] }, ({ url, console_url }) => {
        const hosts = describeHosts(url, prepared.token);
        const document = { url, console_url, mcp_url: `${url}/mcp`, home, ...prepared, hosts };
        io.out(flag("json") ? JSON.stringify(document) : renderWelcome({ url, console_url }, home, prepared));
      });
    } finally {
      await store.close();
    }
    if (!flag("json")) io.out("Stopped. The next start uses the same data.");
    return Exit.done;
  },
};

function renderWelcome(
  { url, console_url }: Served,
  home: string,
  { token, token_file, is_new }: Prepared,
): string {
  const search = formatCommandLine({ operation: "search", args: { q: FIRST_QUERY, url, token_file } });
  const hosts = describeHosts(url, token).map(
    ({ host, where, text }) => `${host} (${where})\n${indent(text)}`,
  );
  return [
    `Rungs listens on ${url}, with ${is_new ? "new sample data" : "the earlier sample data"} in ${home}`,
    "Delete that folder to start over. Ctrl-C stops the server.",
    `Your console, by a one-time link:\n${indent(console_url)}`,
    `A first search, in another terminal:\n${indent(`npx ${search}`)}`,
    `Connect an agent to ${url}/mcp; its token is in ${token_file}`,
    ...hosts,
  ].join("\n\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
