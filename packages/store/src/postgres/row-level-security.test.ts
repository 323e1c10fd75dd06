/** PostgreSQL alone keeps owners apart (R120): these tests take the program's own conditions on the owner out of its statements. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ReadScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import pg from "pg";
import { engines, type Place } from "../../../../testing/engines.ts";
import {
  createOwner,
  createTestGrant,
  EMITTED_AT,
  ingest,
  message,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { createStore } from "../create-store.ts";
import { type Database, EVERYONE } from "../database.ts";
import type { Store } from "../store.ts";
import { type ColumnType, type TableName, tables } from "../tables.ts";
import { createPostgresDatabase } from "./database.ts";
import { createPool } from "./pool.ts";

const [ADA, BEN] = ["ada", "ben"];
const PREDICATE = /\b(?:\w+\.)?owner = \$1/g;
const tableNames = Object.keys(tables) as TableName[];

let place: Place;
let role: string;

before(async () => {
  place = await engines.postgres();
  const store = await place.open();
  for (const owner_id of [ADA, BEN]) {
    await createOwner(store, { owner_id });
    // The same keys, so that only the owner tells their rows apart.
    const long = `${owner_id}word `.repeat(3_000);
    const records = Array.from({ length: 20 }, (_, at) =>
      message(`m${at}`, {
        subject: `${owner_id}word shared ${at}`,
        body: at === 0 ? long : "shared body",
        sent_at: EMITTED_AT,
      }),
    );
    await ingest(store, records, { owner_id });
    await store.putGrant(owner_id, createTestGrant("g", { subject: { id: owner_id } }));
  }
  await store.close();
  role = `rungs_server_of_${new URL(place.address).username}`;
});
after(() => place.remove());

/**
 * Connections use the login's role, as behind a pooler that ignores `options`: each transaction must enforce the policy
 * itself.
 */
function openDatabase(role: string | undefined, change: (text: string) => string = (text) => text) {
  const open = () => {
    const pool = createPool(place.address, { max: 1 });
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      Object.assign(client, {
        query: (input: pg.QueryConfig | string, ...rest: unknown[]) =>
          query(typeof input === "string" ? input : { ...input, text: change(input.text) }, ...rest),
      });
    });
    return pool;
  };
  const pools = { owners: open(), audit: open(), upkeep: open() };
  return { ...createPostgresDatabase(pools, { role }), pools };
}

test("R120 in every table, statements without a condition touch one owner's rows", async () => {
  await fillTables();
  const database = openDatabase(role);
  try {
    const [ada = -1, ben = -1] = [await database.findOwner(ADA), await database.findOwner(BEN)];
    for (const table of tableNames) await checkTable(database, table, ada, ben);
  } finally {
    await database.close();
  }
});

test("R120 a transaction leaves neither owner nor role on its connection, even if it fails", async () => {
  const database = openDatabase(role);
  const states = async () =>
    Promise.all(
      Object.values(database.pools).map(async (pool) => {
        const { rows } = await pool.query<{ owner: string | null; is_login: boolean }>(
          "SELECT current_setting('rungs.owner', true) AS owner, current_user = session_user AS is_login",
        );
        return rows[0];
      }),
    );
  try {
    const [ada = -1, ben = -1] = [await database.findOwner(ADA), await database.findOwner(BEN)];
    const count = async (owner: number) => {
      const [row] = await database.peek(owner, (sql) => sql.all("SELECT count(*) AS n FROM records"));
      return row?.n;
    };
    const broken = "SELECT 1 / 0";
    const uses: (() => Promise<unknown>)[] = [
      () => count(ada),
      () => database.read(ben, (sql) => sql.all("SELECT 1")),
      () => database.peekByToken("unknown", (sql) => sql.all("SELECT 1")),
      () => database.appendAudit(ada, []),
      () => assert.rejects(database.peek(ada, (sql) => sql.all(broken))),
      () => assert.rejects(database.write(ben, (sql) => sql.all(broken))),
      () => assert.rejects(database.claimOnce(ada, "a", { expires_ms: Number.NaN, now_ms: 0 })),
    ];
    for (const use of uses) {
      await use();
      for (const state of await states()) {
        assert.ok(!state?.owner, `${state?.owner}`);
        assert.equal(state?.is_login, true);
      }
    }
    assert.deepEqual([await count(ada), await count(ben)], [20, 20]);
  } finally {
    await database.close();
  }
});

test("R120 work on an owner's rows reads a secret of the program on its own connection, and sees nothing more after", async () => {
  const database = openDatabase(role);
  try {
    const ada = (await database.findOwner(ADA)) ?? -1;
    await database.write(EVERYONE, (sql) => sql.insert("secrets", [[0, "test", "word"]]));
    // Pools of one: waiting for a second connection would never end.
    await database.write(ada, async (sql) => {
      assert.equal(await sql.readSecret("test"), "word");
      const seen = await Promise.all([
        sql.readSecret("none"),
        sql.all("SELECT DISTINCT owner FROM records"),
        sql.readSecret("test"),
        sql.all("SELECT name FROM secrets WHERE owner = 0"),
      ]);
      assert.deepEqual(seen, [undefined, [{ owner: ada }], "word", []]);
    });
  } finally {
    await database.close();
  }
});

test("R120 whatever the schema contains, the role reads only tables with the policy, and owns none", async () => {
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  try {
    const { rows } = await client.query<{
      table: string;
      is_owned: boolean;
      is_walled: boolean;
      may: boolean;
    }>(
      `SELECT c.relname AS table, pg_has_role($1, c.relowner, 'MEMBER') AS is_owned,
         c.relrowsecurity AND (SELECT array_agg(p.polcmd::text || p.polpermissive) FROM pg_policy p WHERE p.polrelid = c.oid) = '{*true}' AS is_walled,
         has_any_column_privilege($1, c.oid, 'SELECT, INSERT, UPDATE') OR has_table_privilege($1, c.oid, 'DELETE, TRUNCATE') AS may
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
      [role],
    );
    const open = rows.filter(({ may }) => may).map(({ table }) => table);
    assert.deepEqual(open.sort(), tableNames.toSorted());
    for (const { table, is_owned, is_walled, may } of rows)
      assert.deepEqual([is_owned, may && !is_walled], [false, false], table);
    const rights = await client.query(
      "SELECT rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole AS is_strong FROM pg_roles WHERE rolname = $1",
      [role],
    );
    assert.deepEqual(rights.rows, [{ is_strong: false }]);
  } finally {
    await client.end();
  }
});

async function checkTable(database: Database, table: TableName, ada: number, ben: number): Promise<void> {
  const list = (owner: number) => database.peek(owner, (sql) => sql.all(`SELECT owner FROM ${table}`));
  const own = await list(ada);
  for (const owner of [ada, ben])
    assert.deepEqual([...new Set((await list(owner)).map((row) => row.owner))], [owner], table);
  await assert.rejects(
    database.write(ada, (sql) => sql.run(`UPDATE ${table} SET owner = ${ben}`)),
    /row-level security|duplicate key/,
    table,
  );
  await assert.rejects(
    database.write(ada, (sql) => sql.insert(table, [dummyRow(table, ben, "b")])),
    /row-level security/,
    table,
  );
  const undo = new Error("undo");
  const deletion = database.write(ada, async (sql) => {
    assert.equal(await sql.run(`DELETE FROM ${table}`), own.length, table);
    throw undo;
  });
  await assert.rejects(deletion, undo);
}

test("R120 a connection that was given no owner sees no row, and cannot leave its role's rights", async () => {
  const pool = createPool(place.address, { max: 1, role });
  try {
    for (const table of tableNames)
      assert.deepEqual((await pool.query(`SELECT 1 FROM ${table}`)).rows, [], table);
    for (const statement of [
      "ALTER TABLE records DISABLE ROW LEVEL SECURITY",
      "DROP POLICY rungs_owner ON records",
    ])
      await assert.rejects(pool.query(statement), /must be owner/);
  } finally {
    await pool.end();
  }
});

test("R120 reads without the program's conditions on the owner return what they return with them", async () => {
  const [whole, walled, open] = [
    openDatabase(role),
    openDatabase(role, takeOut),
    openDatabase(undefined, takeOut),
  ];
  try {
    const [expected, found, leaked] = [await readAll(whole), await readAll(walled), await readAll(open)];
    assert.deepEqual(found, expected);
    // Without the policy, the same mutant leaks: the comparison above can fail.
    assert.notDeepEqual(leaked, expected);
    assert.match(JSON.stringify(leaked), /benword/);
  } finally {
    await Promise.all([whole, walled, open].map((database) => database.close()));
  }
});

function takeOut(text: string): string {
  return /^(?:SELECT|\s*WITH|\s*SELECT)/.test(text)
    ? text.replace(PREDICATE, "$1::bigint IS NOT NULL")
    : text;
}

/** The reads of Ada's scope: each answer, or the message of its error. */
async function readAll(database: Database): Promise<unknown[]> {
  const store = await createStore(database, { embedder: null });
  const scope: ReadScope = scopeOver("messages", {}, ADA);
  const query = (text: string) => store.search(scope, { query: requireQuery(text), limit: 50 });
  const reads: ((store: Store) => Promise<unknown>)[] = [
    () => query("shared"),
    () => query("benword"),
    () => query("adaword"),
    () => store.listRecords(scope, { connection_id: "mail", stream: "messages", order: "asc", limit: 50 }),
    () => store.getRecord(scope, refOf("m3")),
    () => store.readField(scope, refOf("m0"), "body", { start: 0, end: 50 }),
    () => store.describeStreams(scope),
    () => store.listGrants(ADA),
    () => store.listTokens(ADA),
  ];
  return Promise.all(reads.map((read) => read(store).catch((error: Error) => error.message)));
}

/** Adds a row of each owner to the tables that have none of them. */
async function fillTables(): Promise<void> {
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  try {
    const found = await client.query<{ owner: string }>("SELECT owner FROM owners WHERE owner > 0");
    for (const table of tableNames)
      for (const { owner } of found.rows) {
        const { rows } = await client.query(`SELECT 1 FROM ${table} WHERE owner = $1 LIMIT 1`, [owner]);
        if (rows.length > 0) continue;
        const cells = dummyRow(table, Number(owner), "a");
        const places = cells.map((_, at) => `$${at + 1}`).join(", ");
        await client.query(`INSERT INTO ${table} VALUES (${places})`, cells);
      }
  } finally {
    await client.end();
  }
}

function dummyRow(table: TableName, owner: number, text: string): (string | number | Uint8Array)[] {
  const values: Record<ColumnType, string | number | Uint8Array> = {
    int: 1_000_000,
    text,
    bytes: Buffer.from(text),
    real: 1,
  };
  const types = Object.entries<ColumnType>(tables[table]);
  return types.map(([column, type]) => (column === "owner" ? owner : values[type]));
}
