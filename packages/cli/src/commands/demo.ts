import type { OwnerContext } from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { DEFAULT_PORT, requirePort } from "../command/option-values.ts";
import { prepareDemo } from "../demo/prepare.ts";
import { openServedHome, placeOf } from "../home/database.ts";
import { resolveDemoHome } from "../home/home.ts";
import { recordRunningServer } from "../home/running-server.ts";
import { listHosts } from "../hosts/list-hosts.ts";
import { type Served, serveStore } from "../http/serve-store.ts";
import { createUploadProcess } from "../import/upload-process.ts";
import { quoteWord } from "../reads/command-line.ts";
import { keepSyncProcess } from "../sync/sync-process.ts";

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
    let forget: (() => void) | undefined;
    const endSyncs = keepSyncProcess(store, { RUNGS_HOME: home, RUNGS_DATABASE: undefined });
    try {
      const prepared = await prepareDemo(store, home);
      const command_options = ` --home ${quoteWord(home)}`;
      const importFileOf = ({ owner_id }: OwnerContext) =>
        createUploadProcess(placeOf(home), owner_id, io.env);
      const settings = { host: "127.0.0.1", port, hosts: [], command_options, importFileOf, home };
      await serveStore(store, settings, (served) => {
        const { url } = served;
        forget = recordRunningServer(home, { url, token_file: prepared.token_file });
        const hosts = listHosts({ url, ...prepared });
        const document = { ...served, mcp_url: `${url}/mcp`, home, ...prepared, hosts };
        io.out(flag("json") ? JSON.stringify(document) : renderWelcome(call, served, home, prepared.is_new));
      });
    } finally {
      forget?.();
      await endSyncs();
      await store.close();
    }
    if (!flag("json")) io.out("Stopped. The next start uses the same data.");
    return Exit.done;
  },
};

function renderWelcome(
  call: CommandCall,
  { url, console_url }: Served,
  home: string,
  is_new: boolean,
): string {
  const sample = is_new ? "new sample data" : "the earlier sample data";
  return [
    `Rungs listens on ${url}, with ${sample} in ${home}. Ctrl-C stops it.`,
    `Your console, by a link that works once:\n  ${console_url}`,
    `A first search, in another terminal:\n  npx ${writeLine(`search '${FIRST_QUERY}'`, call, home)}`,
    `Connect an agent (or codex, gemini-cli, cursor, …; --install instead of --print sets it up):\n  npx ${writeLine("connect --print claude-code", call, home)}`,
  ].join("\n\n");
}

/** A command line for another terminal, which finds the demo by itself unless it has its own folder. */
function writeLine(command: string, { option }: CommandCall, home: string): string {
  return `rungs ${command}${option("home") === undefined ? "" : ` --home ${quoteWord(home)}`}`;
}
