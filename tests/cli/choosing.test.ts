/** What a grant shows and the owner hides, by the owner's commands. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import type { Json } from "../../testing/world.ts";

let home: NotesHome;
before(async () => {
  home = await createNotesHome();
});
after(() => home.remove());

const rungs = (...argv: string[]) => rungsHere(argv, home.env);
const json = async (...argv: string[]): Promise<Json> => JSON.parse((await rungs(...argv, "--json")).out);
const chosen = ["--client", "agent", "--allow", "notes/notes", "--where", 'id in "long", "hostile"'];

test("R80 R84 a grant with conditions is previewed, given, and explained rule by rule", async () => {
  const { streams } = await json("grant", "preview", ...chosen);
  assert.equal(streams[0].record_count, 2);
  assert.ok(streams[0].left_out_count > 0);
  const { grant } = await json("grant", "create", ...chosen, "--except", 'id is "HOSTILE"');
  assert.match(
    (await rungs("grant", "show", grant.grant_id)).out,
    /where id in "long", "hostile"; where id not in/,
  );
  const shown = await json("grant", "explain", grant.grant_id, "notes/notes:long");
  assert.equal(shown.is_visible, true);
  const hidden = await rungs("grant", "explain", grant.grant_id, "notes/notes:hostile");
  assert.match(hidden.out, /does not show/);
  assert.match(hidden.out, /NO {3}where id not in "HOSTILE"/);
});

test("R82 a preview shows the records as the client would read them, masked", async () => {
  const argv = [
    "grant",
    "preview",
    "--client",
    "agent",
    "--allow",
    "notes/notes",
    "--where",
    "id is hostile",
  ];
  const words = join(home.folder, "words.txt");
  writeFileSync(words, "bell\n");
  assert.match((await rungs(...argv)).out, /bell/);
  const masked = (await rungs(...argv, "--mask-words", words)).out;
  assert.doesNotMatch(masked, /bell/);
  assert.match(masked, /\[word-/);
});

test("R80 conditions on CONNECTION/* narrow the streams that have the fields", async () => {
  const argv = ["grant", "create", "--client", "agent", "--allow", "notes/*", "--where", "id is long"];
  const { grant } = await json(...argv);
  assert.deepEqual(
    grant.authorization_details[0].streams.map(({ where }: Json) => where),
    [[{ field: "id", op: "equals", value: "long" }]],
  );
});

test("R81 a rule hides a record from the grant, and removing the rule shows it again", async () => {
  const read = () => rungs("fetch", "notes/notes:long");
  assert.equal((await read()).code, 0);
  const { hidden } = await json("never", "preview", "--record", "notes/notes:long");
  assert.deepEqual(
    hidden.map(({ connection_id, hidden_count }: Json) => [connection_id, hidden_count]),
    [["notes", 1]],
  );
  const { rule } = await json("never", "add", "--record", "notes/notes:long");
  assert.notEqual((await read()).code, 0);
  assert.equal((await json("never", "list")).rules.length, 1);
  assert.equal((await rungs("never", "remove", rule.rule_id)).code, 0);
  assert.equal((await read()).code, 0);
});

test("R55 no client can take a name that stands for the owner in the audit log", async () => {
  for (const name of ["owner", "console"]) {
    const { code, err } = await rungs("grant", "create", "--client", name, "--allow", "notes/notes");
    assert.notEqual(code, 0);
    assert.match(err, /The audit log calls you .*, so no client may have that name\. Choose another name/);
  }
});

test("R81 R84 a rule by pattern hides what its preview counts, and later records too", async () => {
  const read = () => rungs("fetch", "notes/notes:hostile");
  assert.equal((await read()).code, 0);
  const pattern = ["--pattern", "(?i)\\bBELL\\b", "--in", "notes"];
  const { hidden: previewed } = await json("never", "preview", ...pattern);
  const { rule, hidden } = await json("never", "add", ...pattern);
  assert.deepEqual(hidden, previewed);
  assert.ok(hidden.some(({ stream, hidden_count }: Json) => stream === "notes" && hidden_count > 0));
  assert.notEqual((await read()).code, 0);
  assert.match((await rungs("never", "list")).out, /text that matches \/\(\?i\)\\bBELL\\b\/ in notes/);
  const { grant } = await json("grant", "create", "--client", "agent", "--allow", "notes/notes");
  const explained = await rungs("grant", "explain", grant.grant_id, "notes/notes:hostile");
  assert.match(explained.out, /NO {3}not hidden by you: text that matches/);
  assert.equal((await rungs("never", "remove", rule.rule_id)).code, 0);
  assert.equal((await read()).code, 0);
});

test("R80 meaningless conditions and rules are refused", async () => {
  for (const argv of [
    ["grant", "create", "--client", "a", "--allow", "notes/*", "--where", "nothing is x"],
    ["grant", "create", "--client", "a", "--allow", "notes/notes", "--where", "text is x"],
    ["grant", "create", "--client", "a", "--allow", "notes/notes", "--except", "id starts with x"],
    ["never", "add", "--where", "nothing is x"],
    ["never", "add"],
    ["never", "add", "--pattern", "(unclosed"],
    ["never", "add", "--pattern", "x*"],
    ["never", "add", "--pattern", "x", "--field", "nothing"],
    ["never", "add", "--person", "x", "--field", "id"],
    ["never", "remove", "missing"],
  ])
    assert.notEqual((await rungs(...argv)).code, 0, argv.join(" "));
});

test("R80 options that would grant more or less than they say are refused", async () => {
  const create = async (...argv: string[]) => {
    const { code, err } = await rungs("grant", "create", "--client", "a", ...argv);
    assert.notEqual(code, 0, argv.join(" "));
    return err;
  };
  assert.match(
    await create("--allow", "notes/*", "--record", "notes/notes:long"),
    /--record needs the stream .*--allow notes\/STREAM, not notes\/\*/,
  );
  const notes = ["--allow", "notes/notes"];
  assert.match(
    await create(...notes, "--limit-records", "5", "--limit-records", "6"),
    /--limit-records is given twice in all/,
  );
  assert.match(await create(...notes, "--mask", "phone,,email"), /not an empty name/);
  assert.match(
    await create(...notes, "--where", "id > 3"),
    /--where 'id > 3': cannot be compared: id has no order/,
  );
  assert.match(await create(...notes, "--except", "idd is x"), /--except 'idd is x': idd is not a field/);
  assert.match(await create("--allow", "notes/note"), /note is not a stream of the source/);
});

test("R80 a preset keeps what a grant allows, with relative times, and is given by name", async () => {
  const allows = ["--allow", "notes/notes", "--where", "id is long", "--since", "4000d", "--expires", "7d"];
  const { preset } = await json(
    "preset",
    "save",
    "Roof notes",
    ...allows,
    "--mask",
    "phone",
    "--limit-bytes",
    "2MB/day",
  );
  assert.equal(preset.name, "Roof notes");
  assert.match(
    (await rungs("preset", "list")).out,
    /Roof notes +notes\/notes where id is "long"; records of the last 4000 days; masks phone; at most 2000000 bytes per day; lasts 7 days/,
  );
  const { grant } = await json("grant", "create", "--client", "agent", "--preset", "roof NOTES");
  const [stream] = grant.authorization_details[0].streams;
  assert.deepEqual(stream.where, [{ field: "id", op: "equals", value: "long" }]);
  assert.deepEqual(stream.masks.kinds, ["phone"]);
  assert.deepEqual(grant.budget, { bytes_per_day: 2_000_000 });
  const age_ms = Date.parse(grant.issued_at) - Date.parse(stream.time_constraint.since);
  const days = (ms: number) => Math.round(ms / 86_400_000);
  assert.equal(days(age_ms), 4000);
  assert.equal(days(Date.parse(grant.expires_at) - Date.parse(grant.issued_at)), 7);
  const replaced = await json(
    "grant",
    "create",
    "--client",
    "agent",
    "--preset",
    "Roof notes",
    "--expires",
    "1d",
    "--mask",
    "email",
  );
  assert.deepEqual(replaced.grant.authorization_details[0].streams[0].masks.kinds, ["email"]);
  for (const argv of [
    ["grant", "create", "--client", "a", "--preset", "missing"],
    ["grant", "create", "--client", "a", "--preset", "Roof notes", "--allow", "notes/notes"],
    ["preset", "save", "x", "--allow", "notes/missing"],
    ["preset", "save", " ", "--allow", "notes/notes"],
    ["preset", "remove", "missing"],
  ])
    assert.notEqual((await rungs(...argv)).code, 0, argv.join(" "));
  assert.equal((await rungs("preset", "remove", "roof notes")).code, 0);
  assert.deepEqual((await json("preset", "list")).presets, []);
});
