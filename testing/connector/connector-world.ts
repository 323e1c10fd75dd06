/** A connector in a folder, and a store that syncs it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ownerScope } from "@rungs/contract";
import { addSync, createSecretKeeper, requireSource, runSync, type SyncContext } from "@rungs/sources";
import { openSqlite } from "@rungs/store/sqlite";
import { connectorManifest } from "./manifest.ts";

/**
 * The prelude of a test connector: `start` is START, `send` writes a message, `answer` is the next line of its input.
 */
const PRELUDE = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const answer = async () => JSON.parse((await lines.next()).value);
const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
let sent = 0;
const record = (stream, key, data, more) => {
  sent += 1;
  send({ type: "RECORD", stream, key, data: { id: key, ...data }, emitted_at: "2026-01-02T03:04:05Z", ...more });
};
const done = (more) => send({ type: "DONE", status: "succeeded", records_emitted: sent, ...more });
const start = await answer();
`;

/** Writes a connector: a program in JavaScript behind the prelude, and its manifest. */
export function installConnector(folder: string, code: string, manifest: object = connectorManifest) {
  const [program, declared] = [join(folder, "tunes.mjs"), join(folder, "tunes.json")];
  writeFileSync(program, `${PRELUDE}${code}`);
  writeFileSync(declared, JSON.stringify(manifest));
  return { manifest: declared, command: [process.execPath, program] };
}

/** Creates a store with a connector that runs `code`. */
export async function createConnectorWorld(
  t: TestContext,
  code: string,
  {
    manifest = connectorManifest as object,
    more = {} as object,
    secret = undefined as string | undefined,
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "rungs-connector-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = await openSqlite(join(folder, "rungs.db"));
  t.after(() => store.close());
  await store.putOwner("owner");
  const secrets = createSecretKeeper({ file: join(folder, "sources.key") });
  const context: SyncContext = {
    store,
    owner_id: "owner",
    now: Date.now,
    secrets,
    work_folder: join(folder, "syncs"),
  };
  const settings = { ...installConnector(folder, code, manifest), ...more };
  const { sync_id, connection_id } = await addSync(context, { kind: "connector", settings, secret });
  const scope = () =>
    ownerScope("owner", [{ connection_id, manifest: requireSource("connector").declare(settings) }]);
  return {
    folder,
    store,
    context,
    sync_id,
    work_folder: join(folder, "syncs", sync_id),
    run: () => runSync(context, sync_id),
    /** Replaces the program. */
    install: (next: string, declared: object = manifest) => installConnector(folder, next, declared),
    async list(name = "plays") {
      const page = await store.listRecords(scope(), {
        connection_id,
        stream: name,
        limit: 500,
        order: "asc",
      });
      return page.records.map(({ data }) => data as Record<string, unknown>);
    },
    scope,
    connection_id,
    cursors: () => store.listSyncCursors("owner", sync_id),
  };
}
