/** The client's commands on a local database, without a server. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, HOSTILE, type NotesHome } from "../../testing/cli/notes-home.ts";
import { rungs, splitWords } from "../../testing/cli/program.ts";

let home: NotesHome;
before(async () => {
  home = await createNotesHome();
});
after(() => home?.remove());

const ask = (...argv: string[]) => rungs(argv, home.env);
const askHere = (...argv: string[]) => rungsHere(argv, home.env);
const commandOf = (text: string, label: string) =>
  splitWords(
    text
      .split("\n")
      .find((line) => line.trim().startsWith(`${label}: rungs `))!
      .split(": rungs ")[1]!,
  );

test("R18 R44 a search prints its evidence and the command that reads on, which runs unchanged", async () => {
  const found = await ask("search", "hojicha", "--connection", "notes");
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /⟦Hōjicha⟧, genmaicha/);
  assert.match(found.out, /2 of 2 matching records/);
  assert.doesNotMatch(found.out, /^ {2}read: /m, "nothing is left to read of a field that is shown whole");
  const far = await ask("search", '"line 250 of"', "--connection", "notes");
  const window = await ask(...commandOf(far.out, "read"));
  assert.match(window.out, /^\{"id":"notes\/notes:long","field_path":"text"/);
  assert.match(window.out, /line 250 of the log/i);
});

test("R22 R28 read pages through a field with the commands that it prints", async () => {
  let next = ["read", "notes/notes:long", "text", "--limit", "4000"];
  const texts: string[] = [];
  while (next.length > 0) {
    const { out } = await askHere(...next);
    texts.push(/----- begin (\w+) -----\n([\s\S]*)\n----- end \1 -----/.exec(out)![2]!);
    next = out.includes("\nnext: ") ? commandOf(out, "next") : [];
  }
  assert.ok(texts.length > 2);
  assert.equal(texts.join("").split("\n").length, 500);
});

test("the next command line repeats the options of the current one", async () => {
  const file = join(home.folder, "a token");
  writeFileSync(file, `${home.env.RUNGS_TOKEN}\n`);
  const argv = ["search", '"line 250 of"', "--home", home.env.RUNGS_HOME!, "--token-file", file];
  const found = await rungs(argv, {});
  assert.equal(found.code, 0, found.err);
  const read = await rungs(commandOf(found.out, "read"), {});
  assert.match(read.out, /line 250 of the log/i);
});

test("schema, query, aggregate and fetch answer as text and as one JSON document", async () => {
  const calls = [
    [["schema"], /connection_id="more" stream="notes"/],
    [["schema", "notes", "--connection", "notes"], /- text: string, text\/plain, body \[searchable\]/],
    [
      ["query", "notes", "--connection", "notes", "--limit", "2", "--order", "asc"],
      /more: rungs query notes --connection notes/,
    ],
    [
      ["query", "notes", "--connection", "notes", "--filter", "written_at>=2026-05-01", "--fields", "title"],
      /Notes for the talk/,
    ],
    [["aggregate", "notes", "--connection", "notes", "--metric", "count"], /all: 7 \(7 records\)/],
    [["fetch", "notes/notes:tea", "--fields", "title,text"], /- title: Tea in Kyoto/],
  ] as const;
  await Promise.all(
    calls.map(async ([argv, words]) => {
      const [text, json] = await Promise.all([askHere(...argv), askHere(...argv, "--json")]);
      assert.deepEqual([text.code, json.code], [0, 0], text.err + json.err);
      assert.match(text.out, words);
      assert.equal(json.out.trim().split("\n").length, 1);
      assert.ok(JSON.parse(json.out).object);
    }),
  );
});

test("piped output has no control characters; --json has the text as it is", async () => {
  const argv = ["read", "notes/notes:hostile", "text"];
  const [text, json, found] = await Promise.all([
    ask(...argv),
    ask(...argv, "--json"),
    ask("search", "bell"),
  ]);
  for (const { out } of [text, found]) assert.doesNotMatch(out, /(?![\n\t])\p{Cc}/u);
  assert.match(text.out, /bell \\u\{7\} and \\u\{1b\}\[31mred/);
  assert.equal(JSON.parse(json.out).window.text, HOSTILE);
});

test("R04 an ambiguous id is refused with the commands to choose from", async () => {
  const { code, out, err } = await ask("fetch", "notes:tea");
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /^rungs: ambiguous_connection: /);
  const tries = err.split("\n").filter((line) => line.startsWith("try: rungs "));
  assert.deepEqual(tries, ["try: rungs fetch notes/notes:tea", "try: rungs fetch more/notes:tea"]);
  const chosen = await ask("fetch", "notes:tea", "--connection", "more");
  assert.equal(chosen.code, 0);
});
