/** The audit log after a kill, and after somebody edited the database. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import { createGrant, ensureOwner, type OwnerContext, putConnection } from "@rungs/server";
import type { Store } from "@rungs/store";
import pg from "pg";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { MAIN } from "../../testing/cli/program.ts";
import { testOnEachEngine } from "../../testing/engines.ts";
import { createNote, library } from "../../testing/library.ts";

const RECORDS = 1_000;

testOnEachEngine("R59 an export whose server is killed has an unfinished row", async ({ store, place }) => {
  const token = await fill(store);
  // The source itself: killing `rungs.js` would leave its server running.
  const argv = [
    "--conditions=rungs-source",
    MAIN,
    "serve",
    "--json",
    "--port",
    "0",
    "--database",
    place.address,
  ];
  const server = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(server, "exit");
  try {
    const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
    const { url } = JSON.parse(value as string) as { url: string };
    const answer = await fetch(`${url}/v1/export`, { headers: { Authorization: `Bearer ${token}` } });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    server.kill("SIGKILL");
    await exited;
    await assert.rejects(async () => {
      while (!(await reader.read()).done);
    });
  } finally {
    server.kill("SIGKILL");
  }
  const listed = await rungsHere(["audit", "--json", "--client", "agent", "--database", place.address], {});
  const { reads } = JSON.parse(listed.out) as {
    reads: { operation: string; progress?: string; stream?: string }[];
  };
  const row = reads.find(({ operation }) => operation === "export");
  assert.deepEqual([row?.progress, row?.stream], ["begun", "notes"]);
  const shown = await rungsHere(["audit", "--client", "agent", "--database", place.address], {});
  assert.match(shown.out, /export .*not finished: still open, or the program was stopped/);
});

testOnEachEngine(
  "R59 rungs doctor names a row of the audit log that was removed",
  async ({ store, place }) => {
    await fill(store);
    await store.listAudit(await ensureOwner(store), { limit: 1 });
    const examine = async () => {
      const { out } = await rungsHere(["doctor", "--json", "--database", place.address], {});
      const { findings } = JSON.parse(out) as { findings: { name: string; ok: boolean; message: string }[] };
      return findings.find(({ name }) => name === "audit");
    };
    assert.deepEqual((await examine())?.ok, true);
    await store.appendAudit(await ensureOwner(store), [entry()]);
    assert.match(
      (await examine())?.message ?? "",
      /^2 rows follow from one another, the last with the hash [0-9a-f]{16}$/,
    );
    await remove(place.address, "DELETE FROM audit WHERE operation = 'grant_created'");
    const finding = await examine();
    assert.equal(finding?.ok, false);
    assert.match(finding?.message ?? "", /was changed, or a row before it was removed/);
  },
);

test("R59 rungs audit --keep takes a day or more", async () => {
  const { code, err } = await rungsHere(["audit", "--keep", "5m"], {});
  assert.deepEqual([code, /takes a day or more/.test(err)], [2, true], err);
});

async function fill(store: Store): Promise<string> {
  const parts: OwnerContext = { store, owner_id: await ensureOwner(store), now: Date.now };
  await putConnection(parts, "home", library, "Home");
  const notes = Array.from({ length: RECORDS }, (_, at) => createNote(`n${at}`, { raw: "a".repeat(12_000) }));
  await store.ingest(parts.owner_id, "home", notes);
  const { token } = await createGrant(parts, {
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
  return token;
}

function entry() {
  return {
    at: "2026-01-01T00:00:00Z",
    request_id: "r",
    client_id: "c",
    operation: "fetch",
    status: 200,
    bytes: 0,
  };
}

async function remove(address: string, statement: string): Promise<void> {
  if (!address.startsWith("postgres")) {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(address, { timeout: 5_000 });
    database.exec(statement);
    return database.close();
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(statement);
  await client.end();
}
