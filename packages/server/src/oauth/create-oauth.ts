import type { IncomingMessage, ServerResponse } from "node:http";
import type { Configuration } from "oidc-provider";
import { createRateLimit } from "../access/rate-limit.ts";
import type { OwnerContext } from "../owner/owner-context.ts";
import { createConsents } from "./consent/consents.ts";
import type { Consents } from "./consent/consents-port.ts";
import { openKeys } from "./provider/config.ts";
import { fetchPublic } from "./provider/fetch-public.ts";

/** What the authorization server is made of. */
export interface OAuthOptions extends OwnerContext {
  /** The address that clients see: the issuer, and the audience of every token. */
  readonly base_url: string;
  /** Gets the documents that clients publish about themselves: from public addresses only when left out. */
  readonly fetch?: Configuration["fetch"];
}

/** The authorization server (OAuth 2.1 with its extensions for agents). */
export interface OAuth extends OwnerContext {
  readonly base_url: string;
  /** What clients ask the owner, for the page that shows it. */
  readonly consents: Consents;
  /** Answers a request at one of its `paths`; gives back a bug that it met, which the caller was not told. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<{ readonly failure?: unknown }>;
  /** Whether a request comes from the browser in which this question was asked. */
  isSameBrowser(incoming: IncomingMessage, outgoing: ServerResponse, uid: string): boolean;
}

/** A document about a client is fetched at most this often, by anybody's wish. */
const FETCH_RATE = { burst: 20, per_second: 1 / 5 };

/** Opens the authorization server of a store. */
export async function createOAuth(options: OAuthOptions): Promise<OAuth> {
  const { store, owner_id, now, fetch = fetchPublic } = options;
  const base_url = options.base_url.replace(/\/+$/, "");
  const owner = { store, owner_id, now };
  const keys = await openKeys(store);
  const mayFetch = createFetchLimit(now);
  // The library takes a fifth of a second to load, which commands that serve nothing need not wait for.
  const { openProvider } = await import("./provider/config.ts");
  const provider = openProvider({ owner, keys, base_url, fetch, mayFetch });
  const failures = new WeakMap<IncomingMessage, unknown>();
  provider.on("server_error", ({ req }, error) => failures.set(req, error));
  const answer = provider.callback();

  return {
    ...owner,
    base_url,
    consents: createConsents(owner, provider),
    async handle(incoming, outgoing) {
      forceIssuerHost(incoming, base_url);
      await answer(incoming, outgoing);
      return failures.has(incoming) ? { failure: failures.get(incoming) } : {};
    },
    isSameBrowser(incoming, outgoing, uid) {
      const { cookies } = provider.createContext(incoming, outgoing);
      return cookies.get(provider.cookieName("interaction"), { signed: true }) === uid;
    },
  };
}

function createFetchLimit(now: () => number): () => boolean {
  const take = createRateLimit(FETCH_RATE, now);
  return () => {
    try {
      take("fetch");
      return true;
    } catch {
      return false;
    }
  };
}

/** The library writes addresses from headers; here they are always those of the issuer, whatever a request says. */
function forceIssuerHost({ headers }: IncomingMessage, base_url: string): void {
  const { host, protocol } = new URL(base_url);
  headers.host = host;
  headers["x-forwarded-proto"] = protocol.replace(":", "");
  delete headers["x-forwarded-host"];
  delete headers[":authority"];
}
