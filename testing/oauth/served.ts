/** A world of the HTTP suite that listens, with its authorization server and its `/mcp`. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, describe } from "node:test";
import type { OAuth, OAuthOptions } from "@rungs/server";
import {
  addOAuth,
  type ConsentDecision,
  type ConsentView,
  createOAuth,
  createServer,
  openSealer,
} from "@rungs/server";
import { listen } from "rungs/internal/listen";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { countServers, startBalancer } from "../cluster/balancer.ts";
import { engines } from "../engines.ts";
import { createWorld, type Json, type World } from "../world.ts";
import { Browser } from "./browser.ts";

export interface Served {
  readonly world: World;
  readonly url: string;
  readonly oauth: OAuth;
  /** Closes the server but not its world. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const CALLBACK = "http://127.0.0.1:7/callback";

/** Defines the same tests for every engine, each with a new server. */
export function onEveryServer(define: (served: () => Served) => void, options: ServeOptions = {}): void {
  for (const engine of Object.keys(engines)) {
    describe(engine, () => {
      let served: Served;
      before(async () => {
        served = await serve(await createWorld(engine), options);
      });
      after(() => served?.close());
      define(() => served);
    });
  }
}

interface ServeOptions extends Pick<OAuthOptions, "fetch" | "client_documents"> {
  /** The address that clients see, for a second server of the same world. */
  readonly base_url?: string;
  /** Whether callers' addresses are those that a proxy appends. */
  readonly behind_proxy?: boolean;
}

/** Serves a world on a free port; on PostgreSQL with as many servers behind a balancer as `RUNGS_TEST_SERVERS` says. */
export async function serve(world: World, options: ServeOptions = {}): Promise<Served> {
  if (countServers(world.engine) === 1) return serveOnce(world, options);
  const balancer = await startBalancer(1);
  const behind = { behind_proxy: true, ...options, base_url: options.base_url ?? balancer.url };
  const servers = [await serveOnce(world, behind)];
  while (servers.length < countServers(world.engine))
    servers.push(await serveOnce({ ...world, store: await world.openAnother() }, behind));
  balancer.servers = servers.map(({ url }) => url);
  const stop = async () => {
    await balancer.close();
    for (const each of servers) await each.stop();
  };
  const close = async () => {
    await stop();
    await world.close();
  };
  return { ...(servers[0] as Served), url: balancer.url, stop, close };
}

async function serveOnce(
  world: World,
  { fetch, base_url, behind_proxy, client_documents }: ServeOptions,
): Promise<Served> {
  const { store, owner_id } = world;
  const opened = Promise.withResolvers<World["app"]>();
  const answer = async (request: Request, env: object) => (await opened.promise).fetch(request, env);
  const { url, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  const sealer = await openSealer(store);
  const audience = base_url ?? url;
  const now = () => Date.now();
  const app = createServer({ store, sealer, now, authorization_servers: [audience], audience });
  const oauth = await createOAuth({
    store,
    owner_id,
    now,
    base_url: audience,
    fetch,
    behind_proxy,
    client_documents,
  });
  addOAuth(app, oauth);
  addMcp(app, store, { now, audience });
  app.get("/console/consent/:uid", (context) => context.text("the owner's page"));
  opened.resolve(app);
  return {
    world,
    url,
    oauth,
    stop,
    async close() {
      await stop();
      await world.close();
    },
  };
}

/** Registers a client and returns its id. */
export async function register({ url }: Served, metadata: object = {}): Promise<string> {
  const body = JSON.stringify({ client_name: "Test agent", redirect_uris: [CALLBACK], ...metadata });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/oauth/register`, { method: "POST", headers, body });
  const registered = (await answer.json()) as Json;
  assert.equal(answer.status, 201, JSON.stringify(registered));
  return registered.client_id;
}

/** Posts a form and returns the response with its JSON. */
export async function post(url: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form), headers });
  const text = await answer.text();
  return { answer, status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Json };
}

/** A client in the middle of a flow. */
export class Flow {
  readonly verifier = randomBytes(32).toString("base64url");
  readonly served: Served;
  readonly client_id: string;

  constructor(served: Served, client_id: string) {
    this.served = served;
    this.client_id = client_id;
  }

  /** The address that the client sends the browser to. */
  authorizationUrl(params: Record<string, string | undefined> = {}): string {
    const code_challenge = createHash("sha256").update(this.verifier).digest("base64url");
    const all = {
      client_id: this.client_id,
      response_type: "code",
      redirect_uri: CALLBACK,
      state: "state-1",
      code_challenge,
      code_challenge_method: "S256",
      resource: `${this.served.url}/mcp`,
      ...params,
    };
    const query = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return `${this.served.url}/oauth/authorize?${new URLSearchParams(query)}`;
  }

  /** Exchanges a code. */
  exchange(code: string, params: Record<string, string> = {}) {
    return post(`${this.served.url}/oauth/token`, {
      grant_type: "authorization_code",
      client_id: this.client_id,
      code,
      code_verifier: this.verifier,
      redirect_uri: CALLBACK,
      ...params,
    });
  }

  refresh(refresh_token: string) {
    return post(`${this.served.url}/oauth/token`, {
      grant_type: "refresh_token",
      client_id: this.client_id,
      refresh_token,
    });
  }

  /** The whole flow to a token. */
  async connect(params: Record<string, string | undefined> = {}, choose?: Choose): Promise<Json> {
    const callback = await agree(this.served, this.authorizationUrl(params), choose);
    const { status, body } = await this.exchange(callback.searchParams.get("code") ?? "");
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
}

export type Choose = (view: ConsentView) => ConsentDecision;

/** Selects everything that is offered. */
export const chooseAll: Choose = ({ grantable }) => ({
  streams: grantable.flatMap(({ connection_id, streams }) =>
    streams.map(({ stream, fields }) => ({ connection_id, stream, fields: fields.map(({ name }) => name) })),
  ),
});

/** Selects the requested scope, or everything if the client requested nothing. */
const chooseAsAsked: Choose = (view) => (view.decision.streams.length > 0 ? view.decision : chooseAll(view));

/** Sends a browser to a client's authorization URL; returns the authorization request that it ends at. */
export async function ask(url: string, browser = new Browser()): Promise<string> {
  const page = await browser.follow(url);
  assert.match(page.pathname, /^\/console\/consent\/[\w-]+$/, `the flow went to ${page}`);
  assert.equal((await browser.open(page.href)).status, 200);
  return page.pathname.split("/").at(-1) ?? "";
}

/** Approves as the owner in that browser; returns the redirect URI with the client's code. */
export async function agree(served: Served, url: string, choose: Choose = chooseAsAsked): Promise<URL> {
  const browser = new Browser();
  const uid = await ask(url, browser);
  return browser.follow(await approve(served, uid, choose));
}

/** Approves as the owner; returns the address where the browser continues. */
export async function approve(
  { oauth }: Served,
  uid: string,
  choose: Choose = chooseAsAsked,
): Promise<string> {
  const asked = await oauth.consents.view(uid);
  assert.ok(asked);
  const choice = choose(asked);
  const shown = await oauth.consents.view(uid, choice);
  assert.ok(shown);
  const result = await oauth.consents.approve(uid, choice, { digest: shown.digest, training_allowed: false });
  assert.equal(result.kind, "granted", JSON.stringify(result));
  return result.kind === "granted" ? result.redirect_url : "";
}

/** Calls the resource server with a token. */
export function read({ url }: Served, path: string, token: string): Promise<Response> {
  return fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
}
