import assert from "node:assert/strict";
import { test } from "node:test";
import { makeNotionExport, makeNotionPages, pageId } from "../../../../testing/files/notion.ts";
import { createZip } from "../../../../testing/files/zip.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { importers } from "../importers.ts";
import { matches, readAll } from "../read-all.test.ts";
import { notion } from "./notion.ts";
import { readNotionTime } from "./properties.ts";

test("pages have their title, place, links and files; rows their properties, with or without a page", async () => {
  const { stream, rejected } = await readAll(notion, makeNotionExport());
  assert.deepEqual(rejected, []);
  const pages = stream("pages");
  const { id, title, kind, links, linked_ids, attachment_ids, parent_id } = pages.get(pageId(1))!;
  assert.deepEqual(
    [id, title, kind, links, linked_ids, attachment_ids, parent_id],
    [
      pageId(1),
      "Home 茶",
      "page",
      ["https://ropes.example/"],
      [pageId(3), pageId(2)],
      [`${pageId(1)}~file 1`],
      undefined,
    ],
  );
  assert.deepEqual(
    [...pages.values()].slice(1).map((page) => [page.title, page.kind, page.path, page.parent_id, page.text]),
    [
      ["Buy rope", "row", "Home 茶 / Tasks", pageId(2), "Note: twelve metres."],
      ["Paint", "row", "Home 茶 / Tasks", pageId(2), undefined],
      ["Tasks", "database", "Home 茶", pageId(1), undefined],
      ["Sail", "row", "Home 茶 / Tasks", pageId(2), undefined],
      [
        "The plan, which has a very long title that is cut in names",
        "page",
        "Home 茶",
        pageId(1),
        "Tar: first, then rope.",
      ],
    ],
  );
  const rope = pages.get(pageId(4));
  assert.deepEqual(
    [rope?.properties, rope?.people, rope?.created_at, rope?.database_id],
    [
      { Status: "Open", "Created time": "January 5, 2024 10:20 PM", "Created by": "Ann" },
      "Ann",
      "2024-01-05T22:20:00.000Z",
      pageId(2),
    ],
  );
  assert.deepEqual(pages.get(`${pageId(2)}~Sail~1`)?.properties, { Status: "Some, day" });
  assert.deepEqual(
    [...stream("attachments").values()].map(({ name, message_id }) => [name, message_id]),
    [["boat.png", pageId(1)]],
  );
});

test("the HTML export has the same, even where folders have no id", async () => {
  const { stream } = await readAll(notion, makeNotionPages());
  assert.deepEqual(
    [...stream("pages").values()].map(({ title, text, parent_id, edited_at, properties, linked_ids }) => [
      title,
      text,
      parent_id,
      edited_at,
      properties,
      linked_ids,
    ]),
    [
      ["Home & away", "Words\n\nPlan", undefined, undefined, undefined, [pageId(3)]],
      [
        "Plan",
        "* Tar",
        pageId(1),
        "2024-01-07T08:00:00.000Z",
        { Status: "Open", "Last edited time": "@January 7, 2024 8:00 AM" },
        undefined,
      ],
      ["Crew", "Ann", undefined, undefined, undefined, undefined],
    ],
  );
  assert.deepEqual(
    [...stream("attachments").values()].map(({ name }) => name),
    ["boat.png"],
  );
});

test("R72 an export is found in a zip of parts and beside other files, and other names are not mistaken for it", async () => {
  const zip = (contents: Readonly<Record<string, string>>) =>
    createZip(Object.entries(contents).map(([path, content]) => ({ path, content })));
  const name = "Export-01234567-89ab-cdef-0123-456789abcdef";
  const [first, ...rest] = Object.entries(makeNotionExport());
  const files = createMemoryFiles("Downloads", {
    [`${name}-Part-1.zip`]: zip(Object.fromEntries([first!])),
    [`${name}-Part-2.zip`]: zip(Object.fromEntries(rest)),
    "note.md": "# A note\n\nof mine",
  });
  const { groups, left_out, close } = await sortFiles(files, importers);
  assert.deepEqual(
    groups.map(({ importer, file_count }) => [importer.id, file_count]),
    [
      ["documents", 1],
      ["notion", 7],
    ],
  );
  assert.deepEqual(left_out, []);
  await close();
  const { groups: areas } = await sortFiles(createMemoryFiles("x", makeNotionPages()), importers);
  assert.deepEqual(
    areas.map(({ importer, file_count }) => [importer.id, file_count]),
    [["notion", 5]],
  );
  assert.ok(
    !(await matches(
      notion,
      createMemoryFiles("x", { "d41d8cd98f00b204e9800998ecf8427e.csv": "a,b\n1,2\n" }),
    )),
  );
});

test("an export resumes after every checkpoint", async () => {
  for (const contents of [makeNotionExport(), makeNotionPages()]) {
    const whole = await readAll(notion, contents);
    for (const [at, { checkpoint }] of whole.items.entries()) {
      if (checkpoint === undefined) continue;
      assert.deepEqual((await readAll(notion, contents, checkpoint)).items, whole.items.slice(at + 1));
    }
  }
});

test("times are read in the forms that Notion writes, and in no others", () => {
  const times = ["January 5, 2024", "2024-01-05", "2024/01/05 10:20", "12:00", "Feb 31, 2024", ""];
  assert.deepEqual(times.map(readNotionTime), [
    "2024-01-05T00:00:00.000Z",
    "2024-01-05T00:00:00.000Z",
    "2024-01-05T10:20:00.000Z",
    undefined,
    undefined,
    undefined,
  ]);
});
