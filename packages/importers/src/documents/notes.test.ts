import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { openDocuments, PNG } from "./open-documents.test.ts";

const { read, readOne, close } = openDocuments();
after(close);

suite("a note", () => {
  test("has its properties, tags, aliases and links beside its text", async () => {
    const note = `---
title: Garden plan
tags: [garden, "#2024"]
aliases: Plot, Beds
created: 2024-03-01
rating: .inf
nested: {a: [1, null]}
---
# Beds
See [[Seeds#Peas|the peas]], ![[bed.png]] and [shop](https://shop.example/a_(b) "Shop"). #spring/early not#tag #123
\`#code [[code]]\`
\`\`\`
#fenced [[fenced]]
\`\`\`
`;
    const { text, ...data } = await readOne("home/plan.md", note);
    assert.deepEqual(data, {
      id: "home~plan.md",
      title: "Garden plan",
      path: "home/plan.md",
      folder: "home",
      mime_type: "text/markdown",
      size_bytes: Buffer.byteLength(note),
      text_status: "complete",
      tags: ["garden", "2024", "spring/early"],
      aliases: ["Plot", "Beds"],
      links: ["Seeds#Peas", "bed.png", "https://shop.example/a_(b)"],
      front_matter: {
        title: "Garden plan",
        tags: ["garden", "#2024"],
        aliases: "Plot, Beds",
        created: "2024-03-01",
        rating: "Infinity",
        nested: { a: [1] },
      },
      created_at: "2024-03-01T00:00:00.000Z",
    });
    assert.match(String(text), /^# Beds\n/);
  });

  test("is named by its properties, else by its file, never by a heading", async () => {
    const title = async (path: string, note: string) => (await readOne(path, note)).title;
    assert.equal(await title("a.md", "---\ntitle: One\n---\n# Two"), "One");
    assert.equal(await title("2024-03-05.md", "## Log\n# Three"), "2024-03-05");
    assert.equal(await title("a.md", "---\ntitle: ' '\n---\n# Two"), "a");
    assert.equal(await title("b/c.d.md", "text"), "c.d");
  });

  test("has no tags from links to headings", async () => {
    const tags = async (note: string) => (await readOne("a.md", note)).tags;
    const links =
      "[[#My Section]] [[#A [b] c]] [x](#other-part) [y](<#b c>) [[Note #d|e #f]]\n[z]: #definition";
    assert.equal(await tags(links), undefined);
    assert.deepEqual(await tags("(#a) [#b] #c, [[x]]#d\n#日本語 [x](y) #e"), [
      "a",
      "b",
      "c",
      "d",
      "日本語",
      "e",
    ]);
  });

  test("whose front matter is not YAML keeps it as text", async () => {
    const notes = [
      "---\n: : :\n- [\n---\ntext",
      "---\njust words\n---\ntext",
      "---\nno: end\ntext",
      "---\na: &a [*a]\n---\ntext",
      `---\na: ${"[".repeat(5000)}\n---\ntext`,
    ];
    for (const note of notes) {
      const { text, front_matter } = await readOne("a.md", note);
      assert.deepEqual([text, front_matter], [note, undefined]);
    }
  });

  test("cannot smuggle in a reserved property name", async () => {
    const { front_matter } = await readOne("a.md", "---\n__proto__: {a: 1}\nb: 2\n---\n");
    assert.deepEqual(front_matter, { b: 2 });
  });
});

test("pictures that a note shows are kept, others are left out and counted", async () => {
  const reading = await read({
    ".obsidian/app.json": "{}",
    "notes/a.md": "![[shown.png]] ![x](../img/with%20space.png)",
    "img/shown.png": PNG,
    "img/with space.png": PNG,
    "img/other.png": PNG,
  });
  assert.deepEqual(
    [...reading.stream("documents").keys()],
    ["notes~a.md", "img~shown.png", "img~with space.png"],
  );
  const { text_status, mime_type, title } = reading.stream("documents").get("img~shown.png")!;
  assert.deepEqual([text_status, mime_type, title], ["unsupported", "image/png", "shown"]);
  assert.match(reading.notes.join(), /no note links to \(1\)/);
});
