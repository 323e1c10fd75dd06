/**
 * A grant that is revoked while agents read under it: from that moment on every request is refused, by every server
 * process on the database. `RUNGS_REVOCATIONS` sets how many grants each engine revokes.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import { createGrant, ensureOwner, type OwnerContext, putConnection, revokeGrant } from "@rungs/server";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { start } from "../../testing/cli/program.ts";
import { library } from "../../testing/library.ts";
import { createTestDatabase } from "../../testing/postgres.ts";
import { readSize } from "../../testing/sizes.ts";

const REVOCATIONS = readSize("RUNGS_REVOCATIONS");
const SERVERS = 2;
const READERS = 4;
/** Asked by each reader after the grant has ended. */
const ASKED_AFTER = 5;
const TOO_MANY = 429;

const places = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "rungs-revoke-"));
    const url = join(folder, "rungs.db");
    return { url, open: () => openSqlite(url), drop: async () => rmSync(folder, { recursive: true }) };
  },
  async postgres() {
    const { url, drop } = await createTestDatabase();
    return { url, open: () => openPostgres(url), drop };
  },
};

for (const [engine, create] of Object.entries(places)) {
  test(`R52 a grant revoked under load is refused by the very next request on every server (${engine})`, async () => {
    const place = await create();
    const store = await place.open();
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => serve(place.url)));
    try {
      const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
      await fill(parts);
      for (let round = 0; round < REVOCATIONS; round += 1) await revokeUnderLoad(parts, servers);
    } finally {
      for (const { stop } of servers) await stop();
      await store.close();
      await place.drop();
    }
  });
}

async function revokeUnderLoad(parts: OwnerContext, servers: readonly { url: string }[]): Promise<void> {
  const { token, grant } = await createGrant(parts, {
    client: { client_id: "agent" },
    details: [
      {
        type: DATA_ACCESS_TYPE,
        source: library.source,
        purpose_code: "https://pdpp.dev/purpose/assistance",
        access_mode: "continuous",
        streams: [{ name: "notes", instance_ids: ["home"] }],
      },
    ],
  });
  const state: LoadState = { isRevoked: false, answered: new Set() };
  const readers = servers.flatMap(({ url }, server) =>
    Array.from({ length: READERS }, (_, at) =>
      readUntilRefused({ url, token, first: at, name: `${server}.${at}` }, state),
    ),
  );
  const all = Promise.all(readers);
  while (state.answered.size < readers.length) await Promise.race([all, delay(20)]);
  await revokeGrant(parts, grant.grant_id);
  state.isRevoked = true;
  await all;
}

interface LoadState {
  isRevoked: boolean;
  /** The readers that have received an answer. */
  readonly answered: Set<string>;
}

interface Reader {
  readonly url: string;
  readonly token: string;
  readonly first: number;
  readonly name: string;
}

/** Reads in every way in turn, until refused often enough after the end. */
async function readUntilRefused({ url, token, first, name }: Reader, state: LoadState): Promise<void> {
  let after = 0;
  for (let at = first; after < ASKED_AFTER; at += 1) {
    const startedAfter = state.isRevoked;
    const status = await (ways[at % ways.length] as Way)(url, token);
    if (status === TOO_MANY) await delay(100);
    else if (startedAfter) {
      assert.equal(status, 403, `way ${at % ways.length} was answered after the end`);
      after += 1;
    } else if (status === 200) state.answered.add(name);
    else assert.ok([403, BROKEN_OFF].includes(status), `way ${at % ways.length} was answered ${status}`);
  }
}

/** The status of an export that was open when its grant ended (R58). */
const BROKEN_OFF = -1;

type Way = (url: string, token: string) => Promise<number>;

const ways: readonly Way[] = [
  (url, token) => read(`${url}/v1/search?q=tea`, token),
  (url, token) => read(`${url}/v1/streams/notes/records?limit=5`, token),
  (url, token) => read(`${url}/v1/streams/notes/records/n1/field-window?field_path=body`, token),
  (url, token) => read(`${url}/v1/export?stream=notes`, token),
  callTool,
];

async function read(url: string, token: string): Promise<number> {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  return answer.text().then(
    () => answer.status,
    () => BROKEN_OFF,
  );
}

/** A refusal inside a protocol answer counts as a refusal. */
async function callTool(url: string, token: string): Promise<number> {
  const call = { name: "fetch", arguments: { id: "home/notes:n1" } };
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  if (!text.includes('"isError":true')) return 200;
  return /"code":"grant_revoked"/.test(text) ? 403 : TOO_MANY;
}

async function fill(parts: OwnerContext): Promise<void> {
  await putConnection(parts, "home", library, "Home");
  const notes = Array.from({ length: 30 }, (_, at) => ({
    stream: "notes",
    key: `n${at}`,
    emitted_at: "2026-05-01T00:00:00Z",
    data: { id: `n${at}`, title: `Note ${at}`, body: `tea number ${at}` },
  }));
  await parts.store.ingest(parts.owner_id, "home", notes);
}

/** A server in a separate process. */
async function serve(database: string): Promise<{ url: string; stop(): Promise<void> }> {
  const program = start(["serve", "--json", "--port", "0", "--database", database], {});
  const end = once(program, "close");
  program.stderr.resume();
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  const { value } = await lines.next();
  assert.ok(value, "the server did not start");
  return {
    url: (JSON.parse(value) as { url: string }).url,
    async stop() {
      program.kill("SIGTERM");
      await end;
    },
  };
}
