import { hostname, networkInterfaces } from "node:os";
import type { Command } from "../command.ts";
import { openStore } from "../database.ts";
import { Exit } from "../exit.ts";
import { serveStore } from "../http/serve-store.ts";
import { DEFAULT_PORT, requirePort } from "../port.ts";

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
    const port = requirePort(option("port") ?? DEFAULT_PORT);
    const store = await openStore(call);
    try {
      const hosts = [...namesOf(host), ...options("allow-host")];
      await serveStore(store, { host, port, hosts, log: (entry) => io.err(JSON.stringify(entry)) }, (url) =>
        io.out(flag("json") ? JSON.stringify({ url }) : `Rungs listens on ${url}`),
      );
    } finally {
      await store.close();
    }
    return Exit.done;
  },
};

/** Whoever listens on every address is reached under any of them. */
function namesOf(host: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
