/** The documents in which clients describe themselves at their own URL: whether this server offers to read them. */
import { createSocket } from "node:dgram";
import type { Configuration } from "oidc-provider";
import { fetchPublic } from "./fetch-public.ts";

/** `auto`: offered while this machine has a route to the internet and documents can be read. */
export type ClientDocuments = "auto" | "on" | "off";

type Fetch = NonNullable<Configuration["fetch"]>;

/** Reads documents, and decides whether the server's metadata offers that. */
export interface DocumentReader {
  /** Hosts that see the offer send a URL instead of registering, and sign-in fails if the document cannot be read. */
  isOffered(): boolean;
  readonly may_fetch: boolean;
  readonly fetch: Fetch;
}

/** How long the offer is withdrawn after a failed read: clients register meanwhile, which needs no internet. */
const WITHDRAWN_MS = 10 * 60_000;

/** Creates the reader. It never delays the start: the check sends nothing and takes no time. */
export function createDocumentReader(
  setting: ClientDocuments,
  now: () => number,
  fetch: Fetch = fetchPublic,
): DocumentReader {
  let withdrawn_until = 0;
  let has_route = true;
  if (setting === "auto" && fetch === fetchPublic) {
    has_route = false;
    findRoute((found) => {
      has_route = found;
    });
  }
  return {
    isOffered: () => setting === "on" || (setting === "auto" && has_route && now() >= withdrawn_until),
    may_fetch: setting !== "off",
    async fetch(input, init) {
      try {
        return await fetch(input, init);
      } catch (error) {
        withdrawn_until = now() + WITHDRAWN_MS;
        throw error;
      }
    },
  };
}

/** Any public address will do; the check sends it nothing. */
const OUTSIDE = { port: 443, address: "1.1.1.1" };

/** Asks the system for a route to the internet: connecting a datagram socket looks one up and sends no packet. */
function findRoute(report: (found: boolean) => void): void {
  const socket = createSocket("udp4");
  const end = (found: boolean) => {
    socket.close();
    report(found);
  };
  socket.once("error", () => end(false));
  socket.connect(OUTSIDE.port, OUTSIDE.address, () => {
    socket.removeAllListeners("error");
    end(true);
  });
}

const FETCH_FAILED = /^client_id metadata document fetch/;

/** Explains a document that was not read; undefined for another problem. */
export function explainUnread(description: string | undefined, client_id: unknown): string | undefined {
  const url = typeof client_id === "string" ? URL.parse(client_id) : null;
  if (!FETCH_FAILED.test(description ?? "") || url?.protocol !== "https:") return undefined;
  return [
    `This server could not read ${url.href}, where the program that sent you here describes itself.`,
    "A server that is offline, or behind a proxy, cannot read it.",
    "",
    "Start again from that program: this server now asks programs to register instead, which works offline.",
    "Should the program still send that address, restart it, or connect it with a token: rungs grant create --help.",
    "",
  ].join("\n");
}
