/** `rungs owner …` and `--owner`, as whoever runs a server uses them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openHome } from "rungs/internal/database";
import { rungsHere } from "../../testing/cli/in-process.ts";

let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rungs-owners-"));
});
after(() => rmSync(folder, { recursive: true }));

const run = (...words: string[]) => rungsHere(words, { RUNGS_HOME: join(folder, "home") });
const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).out);

test("R126 an invitation has a name, a quota and an end, and can be withdrawn", async () => {
  const made = await run(
    "owner",
    "invite",
    "ada",
    "--bytes",
    "10G",
    "--records",
    "7",
    "--url",
    "https://data.example.org",
  );
  assert.match(made.out, /https:\/\/data\.example\.org\/console\/join\?code=/);
  const { owners, invitations } = await json("owner", "list");
  assert.deepEqual(
    owners.map((each: { owner_id: string }) => each.owner_id),
    ["owner"],
  );
  assert.equal(invitations[0].owner_id, "ada");
  assert.deepEqual(invitations[0].quota, { records: 7, bytes: 10 * 1024 ** 3 });
  assert.match((await run("owner", "list")).out, /ada +invited +7 records, 10G/);
  assert.match((await run("owner", "invite", "ada", "--withdraw")).out, /no longer invited/);
  assert.deepEqual((await json("owner", "list")).invitations, []);
  for (const name of ["Ada", "../ada", "", "a b", "owner"])
    assert.notEqual((await run("owner", "invite", name)).code, 0, name);
  assert.equal((await run("owner", "invite", "ada", "--bytes", "much")).code, 2);
});

test("R126 R127 R128 commands select an owner's data, limit an owner and remove one", async () => {
  await run("owner", "invite", "ben");
  const store = await openHome(join(folder, "home"));
  await store.addOwner({ owner_id: "ben", created_at: "2026-01-01T00:00:00Z", quota: {} });
  await store.close();
  const file = join(folder, "people.csv");
  writeFileSync(file, "name,town\nBo,Oslo\nMia,Rome\n");
  assert.equal((await run("import", file, "--owner", "ben")).code, 0);
  assert.equal((await json("connections", "--owner", "ben")).connections.length, 1);
  assert.equal((await json("connections")).connections.length, 0);
  assert.equal((await run("connections", "--owner", "nobody")).code, 1);
  const limited = await json("owner", "quota", "ben", "--records", "2", "--requests", "60");
  assert.deepEqual([limited.quota, limited.usage.records], [{ records: 2, requests: 60 }, 2]);
  assert.deepEqual((await json("owner", "quota", "ben", "--requests", "none")).quota, { records: 2 });
  writeFileSync(file, "name,town\nBo,Oslo\nMia,Rome\nUlf,Bonn\n");
  const full = await run("import", file, "--owner", "ben");
  assert.match(full.out + full.err, /2 of 2 records are used/);
  assert.equal((await json("owner", "admin", "ben")).is_admin, true);
  assert.equal((await json("owner", "admin", "ben", "--remove")).is_admin, false);
  assert.match((await run("owner", "remove", "ben")).out, /Nothing was removed yet/);
  assert.match((await run("owner", "remove", "ben", "--confirm", "ben")).out, /is removed/);
  assert.equal((await run("connections", "--owner", "ben")).code, 1);
  assert.notEqual((await run("owner", "remove", "owner", "--confirm", "owner")).code, 0);
});

test("prints a plan for partitions or Citus without a database", async () => {
  const plan = await run("shard-plan", "--partitions", "2");
  assert.match(
    plan.out,
    /CREATE TABLE records_1 PARTITION OF records FOR VALUES WITH \(MODULUS 2, REMAINDER 1\)/,
  );
  assert.match((await run("shard-plan", "--citus")).out, /create_distributed_table\('records', 'owner'/);
  assert.equal((await run("shard-plan", "--partitions", "1")).code, 2);
});
