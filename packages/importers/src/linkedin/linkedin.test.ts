import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLinkedInExport } from "../../../../testing/files/linkedin.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { importers } from "../importers.ts";
import { matches, readAll } from "../read-all.test.ts";
import { linkedin } from "./linkedin.ts";
import { readLinkedInTime } from "./tables.ts";

test("messages have their conversation, sender, time and text; a duplicate row is one message", async () => {
  const { stream } = await readAll(linkedin, makeLinkedInExport());
  assert.deepEqual(
    [...stream("messages").values()].map(({ chat, sender, sent_at, text, is_own, subject }) => [
      chat,
      sender,
      sent_at,
      text,
      is_own,
      subject,
    ]),
    [
      ["Ben Boe", "Ann Lee", "2024-01-05T10:20:31.000Z", 'two\nlines, "quoted"', true, undefined],
      ["Ben Boe", "Ben Boe", "2024-01-05T10:20:30.000Z", "Hello Ann", false, "Rope"],
      ["Crew", "Cid", "2023-01-01T00:00:00.000Z", "hi 👋", false, undefined],
    ],
  );
  assert.deepEqual(
    [...stream("chats").values()].map(({ name, kind, members }) => [name, kind, members]),
    [
      ["Ben Boe", "direct", ["Ann Lee", "Ben Boe"]],
      ["Crew", "group", ["Cid", "Ann Lee", "Ben Boe"]],
    ],
  );
  assert.deepEqual(
    [...stream("attachments").values()].map(({ name }) => name),
    ["plan.pdf"],
  );
});

test("connections below notes, invitations, posts and the profile are read", async () => {
  const { stream, rejected } = await readAll(linkedin, makeLinkedInExport());
  assert.deepEqual(
    [...stream("connections").values()].map(({ name, company, kind, connected_at }) => [
      name,
      company,
      kind,
      connected_at,
    ]),
    [
      ["Ben Boe, Jr.", "Ropes, Inc.", "connection", "2024-01-05T00:00:00.000Z"],
      ["海 渡辺", "船", "connection", "2023-12-31T00:00:00.000Z"],
      ["Cid", undefined, "invitation_sent", "2024-01-05T22:20:00.000Z"],
    ],
  );
  assert.deepEqual(
    rejected.map(({ place, reason }) => [place, reason]),
    [["Connections.csv, connection 3", "The person closed the account: the row has no name."]],
  );
  assert.deepEqual(
    [...stream("posts").values()].map(({ kind, text, author, posted_at }) => [kind, text, author, posted_at]),
    [
      ["comment", "Nice", "Ann Lee", "2024-02-02T08:00:00.000Z"],
      ["post", "First\nsecond", "Ann Lee", "2024-02-01T08:00:00.000Z"],
    ],
  );
  const [comment, post] = [...stream("posts").values()];
  assert.equal(comment?.url, post?.url, "a comment is in the thread of its post");
  assert.deepEqual(
    [...stream("profile").values()].map(({ kind, title, organization, person }) => [
      kind,
      title,
      organization,
      person,
    ]),
    [
      ["education", "BSc", "Nautical School", undefined],
      ["position", "Rigger", "Ropes Inc.", undefined],
      ["profile", "Ann Lee", undefined, undefined],
      ["recommendation", "Boss", "Ropes Inc.", "Ben Boe"],
      ["skill", "Knots", undefined, undefined],
      ["skill", "Splicing", undefined, undefined],
    ],
  );
});

test("an export resumes after every checkpoint", async () => {
  const whole = await readAll(linkedin, makeLinkedInExport());
  for (const [at, { checkpoint }] of whole.items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(linkedin, makeLinkedInExport(), checkpoint);
    const key = (item: (typeof whole.items)[number]) => (item.kind === "record" ? String(item.key) : "");
    const left = new Set(whole.items.slice(at + 1).map(key));
    assert.deepEqual(
      [...left].filter((each) => !rest.items.map(key).includes(each)),
      [],
    );
  }
});

test("R72 tables foreign to the export go to the table format, and a list of names is not LinkedIn", async () => {
  const { groups } = await sortFiles(createMemoryFiles("Basic", makeLinkedInExport()), importers);
  assert.deepEqual(
    groups.map(({ importer, file_count }) => [importer.id, file_count]),
    [
      ["linkedin", 10],
      ["table", 1],
    ],
  );
  assert.ok(!(await matches(linkedin, createMemoryFiles("x", { "Skills.csv": "Name\nKnots\n" }))));
  assert.ok(!(await matches(linkedin, createMemoryFiles("x", { "a.csv": "First Name,Last Name\nA,B\n" }))));
});

test("times are read in each form of an export; impossible ones are dropped", () => {
  const times = [
    "Jan 2020",
    "2015",
    "31-Dec-2023",
    "2024/01/05 10:20:30 UTC",
    "12/1/24, 12:05 AM",
    "31 Feb 2024",
    "x",
    "",
  ];
  assert.deepEqual(times.map(readLinkedInTime), [
    "2020-01-01T00:00:00.000Z",
    "2015-01-01T00:00:00.000Z",
    "2023-12-31T00:00:00.000Z",
    "2024-01-05T10:20:30.000Z",
    "2024-12-01T00:05:00.000Z",
    undefined,
    undefined,
    undefined,
  ]);
});
