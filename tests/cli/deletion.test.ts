/** `rungs delete`: a preview first, then gone for good (R73). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";

let home: NotesHome;
before(async () => {
  home = await createNotesHome();
});
after(() => home?.remove());

const ask = async (...argv: string[]) => {
  const { code, out, err } = await rungsHere([...argv, "--json"], home.env);
  assert.equal(code, 0, err);
  return JSON.parse(out);
};
const countNotes = async (connection: string) => {
  const { connections } = await ask("connections");
  const found = connections.find((each: { connection_id: string }) => each.connection_id === connection);
  return found?.streams[0]?.record_count;
};

test("R73 without --confirm, nothing is deleted, and the preview says what would be", async () => {
  const before = await countNotes("notes");
  const { code, out } = await rungsHere(["delete", "notes"], home.env);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`notes +${before}`));
  assert.match(out, /Nothing was deleted yet\..*--confirm 'notes'/);
  const wrong = await rungsHere(["delete", "notes", "--confirm", "more"], home.env);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--confirm must repeat notes; nothing was deleted/);
  assert.equal(await countNotes("notes"), before);
});

test("R73 an invalid target is refused with what to name instead", async () => {
  const cases: [string[], RegExp][] = [
    [["delete", "nowhere"], /connection/],
    [["delete", "notes/nothing"], /Name one of these: notes/],
    [["delete", "notes", "--filter", "id=a"], /needs a stream/],
    [["delete", "notes:tea"], /give it whole/],
    [["delete", "notes/notes", "--since", "soon"], /--since takes a time such as/],
  ];
  for (const [argv, words] of cases) {
    const { code, err } = await rungsHere(argv, home.env);
    assert.notEqual(code, 0, argv.join(" "));
    assert.match(err, words);
  }
});

test("R73 deletes one record, records by time, and a connection, and audits each", async () => {
  const before = await countNotes("notes");
  const one = await ask("delete", "notes/notes:long", "--confirm", "notes/notes:long");
  assert.deepEqual(one, { deleted: true, record_count: 1, is_space_freed: true, problems: [] });
  const read = await rungsHere(["read", "notes/notes:long", "text"], home.env);
  assert.match(read.err, /not_found/);
  const file = readFileSync(join(home.env.RUNGS_HOME ?? "", "rungs.db"));
  assert.ok(file.includes("line 499 of the log"), "the other connection's copy stays");
  const preview = await ask("delete", "more/notes", "--since", "2000-01-01");
  assert.equal(preview.deleted, false);
  assert.ok(preview.record_count > 0 && preview.record_count < before);
  const timed = await ask("delete", "more/notes", "--since", "2000-01-01", "--confirm", "more/notes");
  assert.equal(timed.record_count, preview.record_count);
  const { record_count } = await ask("delete", "notes", "--confirm", "notes");
  assert.equal(record_count, before - 1);
  assert.equal(await countNotes("notes"), undefined);
  const { reads: entries } = await ask("audit");
  const deletions = entries.filter(({ operation }: { operation: string }) => operation.endsWith("_deleted"));
  assert.deepEqual(
    deletions.map((entry: Record<string, unknown>) => [
      entry.operation,
      entry.connection_id,
      entry.records ?? null,
    ]),
    [
      ["connection_deleted", "notes", null],
      ["records_deleted", "notes", before - 1],
      ["records_deleted", "more", preview.record_count],
      ["records_deleted", "notes", 1],
    ],
  );
  await ask("delete", "more", "--confirm", "more");
  assert.ok(!readFileSync(join(home.env.RUNGS_HOME ?? "", "rungs.db")).includes("of the log"));
  assert.equal((await rungsHere(["doctor", "--purge"], home.env)).code, 0);
});
