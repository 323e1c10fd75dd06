/** Several servers on one PostgreSQL behind a balancer that sends each request to a random one. */
import assert from "node:assert/strict";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import {
  createGrant,
  createLoginLink,
  createOwnerToken,
  ensureOwner,
  type Limits,
  type OAuth,
  type OwnerContext,
  putConnection,
  type Stopping,
} from "@rungs/server";
import { createFloodGate } from "rungs/internal/flood-gate";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { createPlace } from "../engines.ts";
import { createNote, library } from "../library.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

/** One of the servers. */
interface ClusterServer {
  readonly url: string;
  readonly parts: OwnerContext;
  readonly oauth: OAuth;
  /** Stops the server as SIGTERM does. */
  readonly stop: Readonly<Record<keyof Stopping, AbortController>>;
}

export interface Cluster {
  /** The address that clients know. */
  readonly url: string;
  readonly balancer: Balancer;
  readonly servers: readonly ClusterServer[];
  readonly owner: string;
  /** The rights of the owner, exercised on the first server. */
  readonly parts: OwnerContext;
  /** A token for some notes. */
  allow(resources?: string[]): Promise<{ token: string; grant_id: string }>;
  loginLink(): Promise<string>;
  /** A request with a token, to the balancer or to one server. */
  ask(path: string, token?: string, init?: RequestInit & { readonly at?: string }): Promise<Response>;
  close(): Promise<void>;
}

interface ClusterOptions {
  readonly count?: number;
  readonly seed?: number;
  readonly limits?: Partial<Limits>;
}

/** Starts servers with separate stores, so that only the database is common to them. */
export async function startCluster({ count = 2, seed = 1, limits }: ClusterOptions = {}): Promise<Cluster> {
  const place = await createPlace("postgres");
  const balancer = await startBalancer(seed);
  const opened: (ClusterServer & { close(): Promise<void> })[] = [];
  for (let at = 0; at < count; at += 1) {
    const store = await place.open();
    const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
    const ready = Promise.withResolvers<OpenedApp>();
    const answer = async (request: Request, env: object) => (await ready.promise).app.fetch(request, env);
    const gate = createFloodGate(() => undefined);
    const { url, stop: stopListening } = await listen(answer, {
      host: "127.0.0.1",
      port: 0,
      stop_ms: 100,
      gate,
    });
    const stop = {
      begun: new AbortController(),
      closing: new AbortController(),
      ending: new AbortController(),
    };
    const [begun, closing, ending] = [stop.begun.signal, stop.closing.signal, stop.ending.signal];
    const stopping = { begun, closing, ending };
    const app = await openApp(store, { url, base_url: balancer.url, limits, stopping });
    ready.resolve(app);
    const close = async () => {
      await stopListening();
      await store.close();
    };
    opened.push({ url, parts, oauth: app.oauth, stop, close });
  }
  balancer.servers = opened.map(({ url }) => url);
  const { parts } = opened[0] as ClusterServer;
  await fill(parts);
  const owner = await createOwnerToken(parts, Date.now() + 3_600_000);
  return {
    url: balancer.url,
    balancer,
    servers: opened,
    owner,
    parts,
    async allow(resources) {
      const streams = [{ name: "notes", instance_ids: ["home"], resources }];
      const { token, grant } = await createGrant(parts, {
        client: { client_id: "agent" },
        details: [
          {
            type: DATA_ACCESS_TYPE,
            source: library.source,
            purpose_code: "https://pdpp.dev/purpose/assistance",
            access_mode: "continuous",
            streams,
          },
        ],
      });
      return { token, grant_id: grant.grant_id };
    },
    loginLink: () => createLoginLink(parts, balancer.url),
    ask(path, token = "", { at = balancer.url, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (token !== "") headers.set("Authorization", `Bearer ${token}`);
      return fetch(at + path, { ...init, headers });
    },
    async close() {
      await balancer.close();
      for (const each of opened) await each.close();
      await place.remove();
    },
  };
}

async function fill({ store, owner_id, ...parts }: OwnerContext): Promise<void> {
  await putConnection({ store, owner_id, ...parts }, "home", library, "Home");
  const notes = Array.from({ length: 20 }, (_, at) =>
    createNote(`n${at}`, { title: `Note ${at}`, body: `a heron number ${at}` }),
  );
  const outcomes = await store.ingest(owner_id, "home", notes);
  assert.ok(outcomes.every(({ status }) => status === "added"));
}
