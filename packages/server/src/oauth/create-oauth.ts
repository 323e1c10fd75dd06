import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import type { Configuration } from "oidc-provider";
import { createRateLimit } from "../access/shares.ts";
import type { SharedContext } from "../access/turns.ts";
import { asProgram, type OwnerContext } from "../owner/owner-context.ts";
import { createConsents } from "./consent/consents.ts";
import type { Consents } from "./consent/consents-port.ts";
import type { ClientDocuments } from "./provider/client-documents.ts";

/** The options of the authorization server. */
export interface OAuthOptions extends OwnerContext {
  /** The public URL: the issuer, and the audience of every token. */
  readonly base_url: string;
  /** Fetches the metadata documents that clients publish; by default from public addresses only. */
  readonly fetch?: Configuration["fetch"];
  /** Whether the server offers to read such documents; by default, only while it can. */
  readonly client_documents?: ClientDocuments | undefined;
  /** Whether a proxy in front appends the addresses of callers to `X-Forwarded-For`. */
  readonly behind_proxy?: boolean | undefined;
}

/** The authorization server (OAuth 2.1 with its extensions for agents). */
export interface OAuth extends OwnerContext {
  readonly base_url: string;
  /** The open authorization requests, for the consent page of the first owner. */
  readonly consents: Consents;
  /** The same for another owner who is signed in. */
  consentsOf(owner: OwnerContext): Consents;
  /** Answers a request at one of the provider's `paths`; returns an unexpected error that the response hides. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<{ readonly failure?: unknown }>;
  /** The address that a caller's rate limits count by. */
  findAddress(incoming: IncomingMessage): string;
  /** Whether a request comes from the browser that started this authorization request. */
  isSameBrowser(incoming: IncomingMessage, outgoing: ServerResponse, uid: string): boolean;
}

/** Rate limit for fetching metadata documents, per requesting address. */
const FETCH_RATE = { burst: 20, per_second: 1 / 5 };

/** Opens the authorization server of a store. */
export async function createOAuth(options: OAuthOptions): Promise<OAuth> {
  const { store, owner_id, now, client_documents = "auto", behind_proxy = false } = options;
  const base_url = options.base_url.replace(/\/+$/, "");
  const owner = { store, owner_id, now };
  const findAddress = (incoming: IncomingMessage) => findCallerAddress(incoming, behind_proxy);
  const limitFetch = createFetchLimit(owner);
  // The library takes a fifth of a second to load, and so do network modules; commands that do not serve skip that.
  const { createDocumentReader } = await import("./provider/client-documents.ts");
  const { openProvider } = await import("./provider/config.ts");
  const documents = createDocumentReader(client_documents, now, options.fetch);
  const mayFetch = async (incoming: IncomingMessage) =>
    documents.may_fetch && (await limitFetch(findAddress(incoming)));
  const provider = await openProvider({ program: asProgram(owner), base_url, documents, mayFetch });
  const failures = new WeakMap<IncomingMessage, unknown>();
  provider.on("server_error", ({ req }, error) => failures.set(req, error));
  const answer = provider.callback();

  return {
    ...owner,
    base_url,
    consents: createConsents(owner, provider),
    consentsOf: (signedIn) => createConsents(signedIn, provider),
    async handle(incoming, outgoing) {
      forceIssuerHost(incoming, base_url);
      await answer(incoming, outgoing);
      return failures.has(incoming) ? { failure: failures.get(incoming) } : {};
    },
    findAddress,
    isSameBrowser(incoming, outgoing, uid) {
      const { cookies } = provider.createContext(incoming, outgoing);
      return cookies.get(provider.cookieName("interaction"), { signed: true }) === uid;
    },
  };
}

function createFetchLimit(context: SharedContext): (address: string) => Promise<boolean> {
  const take = createRateLimit("client documents", FETCH_RATE, context);
  return async (address) => {
    try {
      await take(address);
      return true;
    } catch {
      return false;
    }
  };
}

/** The library derives URLs from headers: set them to the issuer's host, whatever the request says. */
function forceIssuerHost({ headers }: IncomingMessage, base_url: string): void {
  const { host, protocol } = new URL(base_url);
  headers.host = host;
  headers["x-forwarded-proto"] = protocol.replace(":", "");
  delete headers["x-forwarded-host"];
  delete headers[":authority"];
}

/**
 * The address that a caller's limits count by. A proxy appends the address that it saw to `X-Forwarded-For`; without a proxy
 * anybody can write that header, and it is ignored.
 */
export function findCallerAddress({ socket, headers }: IncomingMessage, behind_proxy: boolean): string {
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").at(-1)?.trim();
  const address = behind_proxy && forwarded ? forwarded : (socket.remoteAddress ?? "");
  return toNetwork(address.replace(/^::ffff:(?=\d+\.)/i, ""));
}

/** A machine has a whole /64 of IPv6 addresses to choose from. */
function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - groups.length - rest.length)).fill("0");
  return [...groups, ...zeros, ...rest].slice(0, 4).join(":");
}
