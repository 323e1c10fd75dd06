/**
 * A restored backup neither revives access that was revoked since, nor brings back deleted data unless asked (R52,
 * R73).
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import {
  createGrant,
  createOwnerToken,
  deleteData,
  digestToken,
  ensureOwner,
  listAudit,
  type OwnerContext,
  putConnection,
  revokeGrant,
} from "@rungs/server";
import type { Store } from "@rungs/store";
import { openHome } from "rungs/internal/database";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { engines } from "../../testing/engines.ts";
import { library } from "../../testing/library.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-restore-test-"));
after(() => rmSync(folder, { recursive: true }));

const FILLED = ["home", "work"];

function note(key: string) {
  return { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data: { id: key, body: `the ${key}` } };
}

async function asOwner<T>(open: () => Promise<Store>, work: (owner: OwnerContext) => Promise<T>): Promise<T> {
  const store = await open();
  try {
    return await work({ store, owner_id: await ensureOwner(store), now: Date.now });
  } finally {
    await store.close();
  }
}

async function allow(owner: OwnerContext, client_id: string) {
  const { grant, token } = await createGrant(owner, {
    client: { client_id },
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
  return { grant_id: grant.grant_id, token };
}

/** Two connections with three notes each, two grants and a token of the owner. */
async function fill(owner: OwnerContext) {
  for (const id of FILLED) {
    await putConnection(owner, id, library, undefined);
    await owner.store.ingest(owner.owner_id, id, ["kept", "deleted", "returned"].map(note));
  }
  await owner.store.getSecret("test", () => String(Math.random()));
  const [kept, revoked] = [await allow(owner, "kept"), await allow(owner, "revoked")];
  return { kept, revoked, owner_token: await createOwnerToken(owner) };
}

/** Changes after the backup: revocations, deletions, a new grant. */
async function change(owner: OwnerContext, { revoked }: Awaited<ReturnType<typeof fill>>) {
  const { store, owner_id } = owner;
  await revokeGrant(owner, revoked.grant_id);
  for (const record_id of ["deleted", "returned"])
    await deleteData(owner, { connection_id: "home", stream: "notes", record_id });
  await store.ingest(owner_id, "home", [note("returned"), note("new")]);
  await deleteData(owner, { connection_id: "work" });
  return allow(owner, "later");
}

const notesOf = (owner_id: string, connection_id: string) => ({
  owner_id,
  streams: [{ connection_id, stream: "notes", fields: ["id", "body"] }],
});

async function listIds({ store, owner_id }: OwnerContext): Promise<string[]> {
  const ids: string[] = [];
  for (const { connection_id } of await store.listConnections(owner_id)) {
    const asked = { connection_id, stream: "notes", order: "asc", limit: 50 } as const;
    const { records } = await store.listRecords(notesOf(owner_id, connection_id), asked);
    ids.push(...records.map(({ record_id }) => `${connection_id}:${record_id}`));
  }
  return ids.sort();
}

async function listActive({ store, owner_id }: OwnerContext): Promise<string[]> {
  const grants = await store.listGrants(owner_id);
  return grants
    .filter(({ revoked_at }) => revoked_at === undefined)
    .map(({ grant: { client } }) => client.client_id)
    .sort();
}

const ALL = ["home:deleted", "home:kept", "home:returned", "work:deleted", "work:kept", "work:returned"];

for (const [engine, create] of Object.entries(engines)) {
  describe(engine, () => {
    test("R52 R73 grants that ended since the backup stay ended, and deleted records stay deleted", async (t) => {
      const place = await create();
      t.after(() => place.remove());
      const made = await asOwner(place.open, fill);
      const backup = join(folder, `${engine}.db`);
      const run = async (...argv: string[]) => {
        const ran = await rungsHere([...argv, "--json"], {});
        assert.equal(ran.code, 0, ran.err);
        return JSON.parse(ran.out);
      };
      await run("backup", backup, "--database", place.address);
      const later = await asOwner(place.open, (owner) => change(owner, made));

      const target = engine === "sqlite" ? place : await engines.postgres();
      if (target !== place) t.after(() => target.remove());
      const from = target === place ? ["--replace"] : ["--access-from", place.address];
      const { access } = await run("restore", backup, "--database", target.address, ...from);
      assert.deepEqual(access, { kind: "current", deleted_records: 1, deleted_connections: 1 });
      await asOwner(target.open, async (owner) => {
        assert.deepEqual(await listIds(owner), ["home:kept", "home:returned"]);
        assert.deepEqual(await listActive(owner), ["kept", "later"]);
        for (const [name, { token }] of Object.entries({ kept: made.kept, later }))
          assert.ok(await owner.store.findToken(digestToken(token)), name);
        assert.equal((await owner.store.findToken(digestToken(made.revoked.token)))?.revoked_at, undefined);
        const found = await owner.store.findAccess(digestToken(made.revoked.token));
        assert.ok(found?.grants[0]?.revoked_at, "the grant of its token is revoked");
        const log = await listAudit(owner, { limit: 100 });
        assert.deepEqual([log[0]?.operation, log.at(-1)?.operation], ["backup_restored", "grant_created"]);
        assert.ok(log.some(({ operation }) => operation === "grant_revoked"));
        assert.deepEqual(await owner.store.check(owner.owner_id), []);
        await assert.rejects(
          owner.store.listChanges(notesOf(owner.owner_id, "home"), {
            connection_id: "home",
            stream: "notes",
            since: 3,
            limit: 10,
          }),
          { code: "cursor_expired" },
        );
      });
    });
  });
}

describe("rungs restore", () => {
  const setUp = async () => {
    const home = mkdtempSync(join(folder, "home-"));
    const open = () => openHome(home);
    const made = await asOwner(open, fill);
    const backup = join(home, "backup.db");
    const rungs = (...argv: string[]) => rungsHere(argv, { RUNGS_HOME: home });
    assert.equal((await rungs("backup", backup)).code, 0);
    return { home, open, made, backup, rungs };
  };

  test("replaces a database only when told to, never one in use, and keeps the former one", async () => {
    const { home, open, made, backup, rungs } = await setUp();
    await asOwner(open, (owner) => change(owner, made));
    const refused = await rungs("restore", backup);
    assert.deepEqual([refused.code, /--replace/.test(refused.err)], [2, true]);
    await asOwner(open, async () => {
      const busy = await rungs("restore", backup, "--replace");
      assert.deepEqual([busy.code, /Another program uses/.test(busy.err)], [2, true]);
    });
    const done = await rungs("restore", backup, "--replace", "--with-deleted");
    assert.equal(done.code, 0, done.err);
    const former = /The former database is (\S+):/.exec(done.out)?.[1] ?? "";
    assert.ok(existsSync(former));
    assert.equal(statSync(join(home, "rungs.db")).mode & 0o777, 0o600);
    await asOwner(open, async (owner) => {
      assert.deepEqual(await listIds(owner), ALL);
      assert.deepEqual(await listActive(owner), ["kept", "later"]);
    });
    assert.deepEqual(
      readdirSync(home).filter((name) => /restore|part/.test(name)),
      [],
    );
  });

  test("R52 without a database to compare with, all access ends unless the owner keeps it", async () => {
    const { made, backup } = await setUp();
    for (const [kept, active] of [[false, []] as const, [true, ["kept", "revoked"]] as const]) {
      const home = mkdtempSync(join(folder, "empty-"));
      const ran = await rungsHere(["restore", backup, ...(kept ? ["--keep-grants"] : [])], {
        RUNGS_HOME: home,
      });
      assert.equal(ran.code, 0, ran.err);
      await asOwner(
        () => openHome(home),
        async (owner) => {
          assert.deepEqual(await listActive(owner), active);
          for (const token of [made.kept.token, made.owner_token])
            assert.equal((await owner.store.findToken(digestToken(token))) !== undefined, kept);
          assert.deepEqual(await listIds(owner), ALL);
        },
      );
    }
  });

  test("R52 a database of another origin does not pass its access to a backup", async () => {
    const [one, other] = [await setUp(), await setUp()];
    const ran = await one.rungs("restore", other.backup, "--replace");
    assert.match(ran.out, /no database of the same origin/);
    await asOwner(one.open, async (owner) => assert.deepEqual(await listActive(owner), []));
  });

  test("a damaged database is replaced, and a file that is not a backup changes nothing", async () => {
    const { home, open, backup, rungs } = await setUp();
    const garbage = join(home, "garbage.db");
    writeFileSync(garbage, "not a database ".repeat(1_000));
    for (const file of [garbage, join(home, "missing.db")]) {
      const refused = await rungs("restore", file, "--replace");
      assert.equal(refused.code, 2, refused.err);
    }
    await asOwner(open, async (owner) => assert.deepEqual(await listActive(owner), ["kept", "revoked"]));
    writeFileSync(join(home, "rungs.db"), "damaged ".repeat(10_000));
    const ran = await rungs("restore", backup, "--replace");
    assert.match(ran.out, /could not be read.*\n.*has ended/s, ran.err);
    await asOwner(open, async (owner) => assert.deepEqual(await listIds(owner), ALL));
  });

  test("keeps as many dated backups as asked, and other files", async () => {
    const { home, rungs } = await setUp();
    const dated = join(home, "backups");
    mkdirSync(dated);
    for (const name of ["rungs-20200101T000000Z.db", "rungs-20210101T000000Z.db", "mine.db"])
      writeFileSync(join(dated, name), "");
    const ran = await rungs("backup", "--keep", "2", "--json");
    const { file, deleted } = JSON.parse(ran.out);
    assert.deepEqual(deleted, [join(dated, "rungs-20200101T000000Z.db")]);
    assert.ok(existsSync(file) && existsSync(join(dated, "mine.db")));
    assert.equal((await rungs("backup", join(home, "x.db"), "--keep", "2")).code, 2);
    assert.equal((await rungs("backup", "--keep", "0")).code, 2);
  });
});
