import { hostname, networkInterfaces } from "node:os";
import { createServer, ensureOwner, openSealer } from "@rungs/server";
import type { Command } from "../command.ts";
import { openStore } from "../database.ts";
import { Exit, UsageError } from "../exit.ts";
import { listen } from "../http/listen.ts";
import { addMcp } from "../http/mcp-endpoint.ts";

/** `rungs serve`: the resource server. */
export const serve: Command = {
  name: "serve",
  about: "Serves the data over HTTP until it is stopped.",
  options: {
    host: { type: "string", value: "ADDRESS", about: "the address to listen on; 127.0.0.1 when left out" },
    port: { type: "string", value: "N", about: "the port to listen on; 7717 when left out" },
    "allow-host": {
      type: "string",
      value: "NAME",
      multiple: true,
      about: "another name under which clients reach this server",
    },
  },
  async run(call) {
    const { option, options, flag, io } = call;
    const host = option("host") ?? "127.0.0.1";
    const port = requirePort(option("port") ?? "7717");
    const store = await openStore(call);
    try {
      await ensureOwner(store);
      const app = createServer({
        store,
        sealer: await openSealer(store),
        hosts: [...namesOf(host), ...options("allow-host")],
        log: (entry) => io.err(JSON.stringify(entry)),
      });
      addMcp(app, store);
      const { url, stop } = await listen(app.fetch, { host, port });
      io.out(flag("json") ? JSON.stringify({ url }) : `Rungs listens on ${url}`);
      await untilStopped();
      await stop();
    } finally {
      await store.close();
    }
    return Exit.done;
  },
};

function requirePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port takes a number up to 65535, not ${text}.`);
  return port;
}

/** Whoever listens on every address is reached under any of them. */
function namesOf(host: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
