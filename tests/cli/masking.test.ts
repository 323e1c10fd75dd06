/** `rungs grant create --mask … --limit-…`: what the client reads is masked, and how much it reads is limited. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";

const MANIFEST = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;
let home: NotesHome;
before(async () => {
  home = await createNotesHome();
  const records = join(home.folder, "numbers.ndjson");
  const data = { id: "n", title: "Roof", text: "Ask Falcon, +49 171 2345678, CASE-77" };
  writeFileSync(
    records,
    JSON.stringify({ stream: "notes", key: "n", emitted_at: "2026-06-01T00:00:00Z", data }),
  );
  const { code, err } = await rungsHere(
    ["import", records, "--as", "records", "--manifest", MANIFEST, "--connection", "notes"],
    home.env,
  );
  assert.equal(code, 0, err);
});
after(() => home.remove());

const create = (...argv: string[]) =>
  rungsHere(["grant", "create", "--client", "agent", "--allow", "notes/notes", ...argv], home.env);

test("R82 a preview shows rows masked, as the client will read them", async () => {
  const preview = await rungsHere(
    ["grant", "preview", "--allow", "notes/notes", "--where", "id is n", "--mask", "phone"],
    home.env,
  );
  assert.equal(preview.code, 0, preview.err);
  const [, token] = /Ask Falcon, (\[phone-[b-z]{8}\]), CASE-77/.exec(preview.out) ?? [];
  const made = JSON.parse((await create("--mask", "phone", "--json")).out);
  const read = await rungsHere(["fetch", "notes/notes:n"], { ...home.env, RUNGS_TOKEN: made.token });
  assert.ok(token !== undefined && read.out.includes(token), preview.out);
});

test("R82 R83 the owner masks kinds, words and expressions, sets a budget, and sees its usage", async () => {
  const words = join(home.folder, "words.txt");
  writeFileSync(words, "falcon\n\n/CASE-\\d+/\n");
  const limits = ["--limit-records", "5", "--limit-bytes", "20KB/day"];
  const made = await create("--mask", "phone,email", "--mask-words", words, ...limits, "--json");
  assert.equal(made.code, 0, made.err);
  const { token, grant } = JSON.parse(made.out);
  assert.deepEqual(grant.budget, { records: 5, bytes_per_day: 20_000 });
  const env = { ...home.env, RUNGS_TOKEN: token };
  const found = await rungsHere(["search", "roof"], env);
  const read = await rungsHere(["fetch", "notes/notes:n"], env);
  assert.match(read.out, /Ask \[word-[b-z]{8}\], \[phone-[b-z]{8}\], \[word-[b-z]{8}\]/);
  assert.match(found.out, /Left of this grant's budget: 4 records, \d+ bytes today/);
  assert.doesNotMatch((await rungsHere(["search", "falcon"], env)).out, /roof/i);
  const shown = await rungsHere(["grant", "show", grant.grant_id], home.env);
  assert.match(shown.out, /masks phone, email, 2 of the owner's words in id, title, text, private/);
  assert.match(shown.out, /budget, records in all: 2 of 5 used/);
});

test("invalid masks and limits are refused with the valid forms", async () => {
  const empty = join(home.folder, "empty.txt");
  writeFileSync(empty, "\n");
  const broken = join(home.folder, "broken.txt");
  writeFileSync(broken, "falcon\n/[a/\n");
  const wrong: [string[], RegExp][] = [
    [["--mask", "fone"], /--mask takes email, phone, .*, not fone/],
    [["--mask-words", empty], /has no words/],
    [["--mask-words", broken], /broken\.txt: \/\[a\/ is not an RE2 expression/],
    [["--mask-field", "text"], /--mask-field needs --mask/],
    [["--mask", "phone", "--mask-field", "nothing"], /nothing is not a granted field/],
    [["--limit-records", "5KB"], /--limit-records takes a number/],
    [["--limit-bytes", "much"], /--limit-bytes takes a size/],
  ];
  for (const [argv, message] of wrong) {
    const { code, err, out } = await create(...argv);
    assert.notEqual(code, 0, argv.join(" "));
    assert.match(err + out, message);
  }
});

test("R84 an explanation by a masked key says that the record has another id", async () => {
  const { out } = await create("--mask", "email", "--json");
  const { grant } = JSON.parse(out);
  const key = `notes/notes:[key-${"b".repeat(20)}]`;
  const { code, err } = await rungsHere(["grant", "explain", grant.grant_id, key], home.env);
  assert.notEqual(code, 0);
  assert.match(err, /is what a grant that masks calls a record.*Give the record's own id/);
});
