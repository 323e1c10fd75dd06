/** An account with calendars or contacts on a server, and a store that syncs it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownerScope } from "@rungs/contract";
import { addSync, createSecretKeeper, requireSource, runSync, type SyncRun } from "@rungs/sources";
import type { Store } from "@rungs/store";
import { openTestStore } from "../engines.ts";
import { type DavTestServer, DavWriter } from "./dav-server.ts";
import { type PlainServerOptions, startPlainServer } from "./plain-server.ts";
import { hasRadicale, startRadicale } from "./radicale.ts";

/** The server, the store and the sync between them. */
export interface DavWorld<Server extends DavTestServer = DavTestServer> {
  readonly server: Server;
  readonly store: Store;
  readonly writer: DavWriter;
  /** Runs the sync; fails the test when the run fails. */
  sync(): Promise<SyncRun>;
  /** Runs the sync until it has stored some batches, as if the process were then killed. */
  syncAndBreak(batches: number): Promise<void>;
  /** The records of a stream. */
  read(stream: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface DavWorldOptions {
  readonly kind?: "caldav" | "carddav";
  readonly engine?: string;
}

const OWNER = "owner";

/** A world on Radicale, or on the tests' own server where Radicale is not installed. */
export async function createDavWorld(options: DavWorldOptions = {}): Promise<DavWorld> {
  const server = hasRadicale() ? await startRadicale() : await startPlainServer({ changes: { part: 100 } });
  return connect(server, options);
}

/** A world on the tests' own server. */
export async function createPlainWorld(options: DavWorldOptions & PlainServerOptions = {}) {
  return connect(await startPlainServer(options), options);
}

async function connect<Server extends DavTestServer>(
  server: Server,
  { kind = "caldav", engine = "sqlite" }: DavWorldOptions,
): Promise<DavWorld<Server>> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-dav-"));
  const { store, close } = await openTestStore(engine);
  await store.putOwner(OWNER);
  const context = {
    store,
    owner_id: OWNER,
    now: Date.now,
    secrets: createSecretKeeper({ file: join(folder, "key") }),
    work_folder: folder,
  };
  const { url, user, password: secret } = server;
  const { sync_id } = await addSync(context, { kind, settings: { url, user }, secret });
  const manifest = requireSource(kind).declare({});
  const scope = ownerScope(OWNER, [{ connection_id: sync_id, manifest }]);
  return {
    server,
    store,
    writer: new DavWriter(server),
    async sync() {
      const run = await runSync(context, sync_id);
      assert.deepEqual([run.state, run.failure], ["done", undefined]);
      return run;
    },
    async syncAndBreak(batches) {
      let left = batches;
      const writeSync: Store["writeSync"] = (...args) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error("killed")) : store.writeSync(...args);
      };
      await runSync({ ...context, store: Object.assign(Object.create(store), { writeSync }) }, sync_id);
    },
    async read(stream) {
      const { records, next } = await store.listRecords(scope, {
        connection_id: sync_id,
        stream,
        limit: 1_000,
        order: "asc",
      });
      assert.equal(next, undefined);
      return records.map(({ data }) => ({ ...data }));
    },
    async close() {
      await server.stop();
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
