/** rungs copy: everything from one engine to the other and back, verified by digest. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openHome } from "rungs/internal/database";
import { prepareDemo } from "rungs/internal/demo";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { rungs } from "../../testing/cli/program.ts";
import { createTestDatabase } from "../../testing/postgres.ts";

let folder: string;
let token: string;
let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rungs-copy-"));
  const store = await openHome(join(folder, "home"));
  ({ token } = await prepareDemo(store, join(folder, "home")));
  await store.close();
  postgres = await createTestDatabase();
});
after(async () => {
  await postgres.drop();
  rmSync(folder, { recursive: true });
});

const env = () => ({ RUNGS_HOME: join(folder, "home"), RUNGS_TOKEN: token });
const back = () => join(folder, "back.db");
const copy = async (...argv: string[]) => {
  const ran = await rungsHere(["copy", ...argv, "--json"], env());
  assert.equal(ran.code, 0, ran.err);
  return JSON.parse(ran.out).tables as { table: string; row_count: number; sha256: string }[];
};

test("copy moves everything to PostgreSQL and back: the same digests, grants, tokens and answers", async () => {
  const page = ["search", "roof", "--limit", "2", "--json"];
  const { next_cursor } = JSON.parse((await rungsHere(page, env())).out);
  const there = await copy("--to", postgres.url);
  const here = await copy("--database", postgres.url, "--to", back());
  assert.deepEqual(here, there);
  const rows = Object.fromEntries(there.map(({ table, row_count }) => [table, row_count]));
  assert.ok(rows.records! > 100 && rows.chunks! > 10 && rows.grants === 1 && rows.tokens === 1);
  assert.equal(statSync(back()).mode & 0o777, 0o600);
  for (const argv of [
    ["search", '"blue pot"'],
    ["search", "清水寺"],
    ["query", "documents"],
    ["aggregate", "documents", "--metric", "count"],
    ["schema"],
  ]) {
    const answers = await Promise.all(
      [[], ["--database", postgres.url], ["--database", back()]].map((more) =>
        rungsHere([...argv, ...more, "--json"], env()),
      ),
    );
    const [first, ...others] = answers.map(({ out }) => ({ ...JSON.parse(out), next_cursor: undefined }));
    for (const other of others) assert.deepEqual(other, first, argv.join(" "));
  }
  const next = [...page, "--cursor", next_cursor, "--database", postgres.url];
  assert.equal((await rungsHere(next, env())).code, 0, "a cursor of the source goes on in the copy");
  assert.equal((await rungsHere(["doctor", "--database", postgres.url], env())).code, 0);
});

test("copy refuses a target that is not empty, and says what to do", async () => {
  const other = join(folder, "other.db");
  assert.equal((await rungsHere(["login-link", "--database", other], env())).code, 0);
  const { code, err } = await rungs(["copy", "--to", other], env());
  assert.deepEqual([code, err.trim().split("\n").length], [1, 1]);
  assert.match(err, /already holds data\. Name a new file or an empty database with --to/);
  const itself = await rungsHere(["copy", "--to", join(folder, "home", "rungs.db")], env());
  assert.deepEqual([itself.code, /already holds data/.test(itself.err)], [1, true]);
});

test("copy refuses a missing source and an unreachable target", async () => {
  for (const [argv, code, words] of [
    [["--to", "x.db", "--home", join(folder, "nowhere")], 2, /There is no database at/],
    [["--to", "postgres://nobody:secret@127.0.0.1:1/none"], 4, /^(?!.*secret).*cannot be opened/],
  ] as const) {
    const ran = await rungsHere(["copy", ...argv], env());
    assert.deepEqual([ran.code, words.test(ran.err)], [code, true], ran.err);
  }
});
