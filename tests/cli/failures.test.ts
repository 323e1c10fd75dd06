/** Every failure is one clear sentence, with the exit code that scripts rely on. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import { type Env, rungs } from "../../testing/cli/program.ts";

let home: NotesHome;
before(async () => {
  home = await createNotesHome();
});
after(() => home?.remove());

async function expectFailure(
  argv: readonly string[],
  env: Env,
  code: number,
  words: RegExp,
  program = rungs,
): Promise<void> {
  const ran = await program(argv, env);
  assert.equal(ran.code, code, `${argv.join(" ")}: ${ran.err}`);
  assert.match(ran.err, words);
  assert.ok(ran.err.startsWith("rungs: ") && ran.err.trim().split("\n").length === 1, ran.err);
  assert.equal(ran.out, "");
}

test("wrong usage is exit code 2 and names the wrong argument", async () => {
  const cases: [string[], RegExp][] = [
    [["search"], /takes QUERY/],
    [["search", "a", "b"], /takes QUERY/],
    [["search", "tea", "--limit", "many"], /--limit/],
    [["search", "tea", "--colour"], /--colour/],
    [["read", "notes/notes:tea"], /takes ID FIELD/],
    [["aggregate", "notes"], /--metric/],
    [["query", "notes", "--order", "up"], /--order/],
    [["export"], /--output is required/],
    [["blob", "a/b"], /BLOB_ID/],
    [["blob", "abc", "--range", "last"], /--range takes bytes/],
    [["search", "tea", "--url", "ftp://x"], /http or https address/],
    [["search", "tea", "--token-file", "/nowhere/at/all"], /cannot be read/],
  ];
  await Promise.all(cases.map(([argv, words]) => expectFailure(argv, home.env, 2, words, rungsHere)));
});

test("wrong usage names the flag and its valid values", async () => {
  const read = ["read", "notes/notes:tea", "text"];
  const cases: [string[], string][] = [
    [["search", "tea", "--limit", "many"], "--limit takes a whole number."],
    [["search", "tea", "--limit", "0"], "--limit has to be at least 1."],
    [[...read, "--limit", "99999"], "--limit has to be at most 16384."],
    [["search", ""], "QUERY is empty."],
    [["query", "notes", "--order", "up"], "--order has to be one of asc, desc."],
    [["aggregate", "notes"], "--metric is required."],
    [["export", "-o", "/nowhere/at/all"], "There is no folder /nowhere/at to write /nowhere/at/all into."],
    [["export", "-o", "/dev/null"], "/dev/null is not a regular file; --output takes one."],
    [
      ["serve", "--database-replica", "postgres://replica/db"],
      "--database-replica takes postgres://…, and so does --database with it.",
    ],
    [["copy"], "--to is required: the empty database to copy into."],
    [
      ["grant", "create", "--client", "a", "--allow", "notes/notes", "--until", "soon"],
      "--until takes a time such as 2026-01-31 or 2026-01-31T10:00:00Z, not soon.",
    ],
  ];
  for (const [argv, sentence] of cases) {
    const { code, err } = await rungsHere(argv, home.env);
    assert.deepEqual([code, err], [2, `rungs: ${sentence}`]);
  }
});

test("an unknown option is refused with those that the command has", async () => {
  for (const option of ["--limit", "-x"]) {
    const { code, err } = await rungsHere(["thread", "notes/notes:tea", option], home.env);
    assert.equal(code, 2);
    const known = "it has --connection, --before, --after, ";
    assert.ok(err.startsWith(`rungs: rungs thread has no option '${option}'; ${known}`), err);
  }
});

test("refusals name commands and flags, not tools and parameters", async () => {
  const cases: [string[], RegExp][] = [
    [["read", "notes/notes:tea", "text", "--before", "3"], /--before needs --q\. Use --cursor alone/],
    [["read", "notes/notes:tea", "text", "--q", "absent"], /Read the field by --offset/],
    [["read", "tea", "text"], /The id has no ':'.*as rungs search or rungs query printed it/],
    [["read", "notes/notes:tea", "private"], /rungs schema lists the granted fields/],
    [["query", "notes", "--filter", "x", "--connection", "more"], /--filter is not a condition/],
    [["aggregate", "notes", "--metric", "sum", "--connection", "more"], /--field is required for sum/],
    [["fetch", "notes/notes:tea", "--connection", "more"], /Omit --connection/],
    [["fetch", "notes/notes:absent"], /find the record with rungs search or rungs query/],
    [["search", "tea", "--cursor", "x"], /Start again without --cursor/],
    [
      ["grant", "create", "--client", "a", "--allow", "notes/notes:absent"],
      /--allow notes\/notes:absent: absent is not a field of the stream\. rungs connections/,
    ],
  ];
  for (const [argv, words] of cases) {
    const { code, err } = await rungsHere(argv, home.env);
    const [first = ""] = err.split("\n");
    assert.equal(code, 1, err);
    assert.match(first, words);
    assert.doesNotMatch(
      first,
      /_chars|connection_id|field_path|read_record_field|query_records|[Cc]all |param /,
    );
  }
});

test("the exit code is the process's own", async () => {
  await expectFailure(["search"], home.env, 2, /takes QUERY/);
});

test("no token and a bad token are exit code 3, and the token is never repeated", async () => {
  const { RUNGS_HOME = "" } = home.env;
  await Promise.all([
    expectFailure(["search", "tea"], { RUNGS_HOME }, 3, /no token.*rungs grant create/),
    expectFailure(
      ["search", "tea"],
      { RUNGS_HOME, RUNGS_TOKEN: "rt_wrong" },
      3,
      /^(?!.*rt_wrong).*invalid_token/,
    ),
    expectFailure(["export", "-o", `${home.folder}/none`], { RUNGS_HOME, RUNGS_TOKEN: "no" }, 3, /unknown/),
  ]);
});

test("an unreachable server is exit code 4", async () => {
  const RUNGS_URL = "http://127.0.0.1:1";
  await expectFailure(["search", "tea"], { ...home.env, RUNGS_URL }, 4, /cannot be reached.*rungs serve/);
});

test("a server that is not Rungs is reported", async (t) => {
  const other = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
  t.after(() => other.close());
  const { port } = await new Promise<AddressInfo>((resolve) =>
    other.once("listening", () => resolve(other.address() as AddressInfo)),
  );
  await expectFailure(
    ["schema"],
    { ...home.env, RUNGS_URL: `http://127.0.0.1:${port}` },
    1,
    /unexpected_answer: .*Check that the address belongs to a Rungs server/,
  );
});

test("with --json a refusal is a document as well as a sentence", async () => {
  const ran = await rungs(["read", "notes/notes:tea", "private", "--json"], home.env);
  assert.equal(ran.code, 1);
  const { error } = JSON.parse(ran.out);
  assert.deepEqual([error.code, typeof error.request_id], ["field_not_granted", "string"]);
  assert.match(ran.err, /^rungs: field_not_granted: /);
});
