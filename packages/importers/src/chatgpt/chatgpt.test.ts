import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createMemoryFiles } from "../files/memory-files.ts";
import { openFiles } from "../files/open-files.ts";
import { matches as matchesFiles, readAll } from "../read-all.test.ts";
import { chatgpt } from "./chatgpt.ts";

const fixture = readFileSync(join(import.meta.dirname, "fixtures/conversations.json"));
const conversations = JSON.parse(fixture.toString()) as object[];

/** A complete export, with files that messages point to. */
const whole = {
  "conversations.json": fixture,
  "chat.html": "<html></html>",
  "user.json": '{"id":"user-1"}',
  "file-LoafPhoto1-loaf.png": "\u0089PNG pixels",
  "file-RecipeText-recipe.txt": "500 g flour, 350 g water",
  "c-mars/audio/file_00voice-1234.wav": "RIFF",
  "dalle-generations/file-Dalle9-5678.webp": "RIFFxxxxWEBP",
};

test("an export is detected by its content, whatever its name, and other files are not", async () => {
  const matches = (files: Record<string, string | Uint8Array>) =>
    matchesFiles(chatgpt, createMemoryFiles("export", files));
  assert.equal(await matches(whole), true);
  assert.equal(await matches({ "some file": JSON.stringify(conversations[0]) }), true);
  assert.equal(await matches({ "conversations-000.json": fixture, "conversations-001.json": "[]" }), true);
  assert.equal(await matches({ "conversations.json": '[{"uuid":"a","chat_messages":[]}]' }), false);
  assert.equal(await matches({ "a.json": '[{"text":"\\"mapping\\": {"}]', "b.txt": '"mapping": {' }), false);
});

test("every branch is kept, and the current one is marked", async () => {
  const { stream } = await readAll(chatgpt, whole);
  const branch = [...stream("messages").values()].filter(
    ({ conversation_id }) => conversation_id === "c-bread",
  );
  assert.deepEqual(
    branch.map(({ id, parent_id, is_current }) => [id, parent_id, is_current]),
    [
      ["c-bread~s1", undefined, true],
      ["c-bread~u1", "c-bread~s1", true],
      ["c-bread~a1", "c-bread~u1", false],
      ["c-bread~t1", "c-bread~u1", true],
      ["c-bread~a2", "c-bread~t1", true],
    ],
  );
  assert.deepEqual(stream("conversations").get("c-bread"), {
    id: "c-bread",
    title: "Bread that rises",
    created_at: "2024-01-07T12:18:35.775Z",
    updated_at: "2024-01-08T12:37:22.442Z",
    current_message_id: "c-bread~a2",
    model: "gpt-4o",
    message_count: 5,
    branch_count: 2,
    is_archived: false,
  });
});

test("text comes from strings, transcriptions, thoughts, outputs and prompts, and is cleaned", async () => {
  const { stream } = await readAll(chatgpt, whole);
  const text = (id: string): unknown => stream("messages").get(id)?.text;
  assert.equal(text("c-bread~s1"), undefined);
  assert.equal(text("c-bread~u1"), "Why is my sourdough flat?");
  assert.equal(text("c-bread~t1"), "Weighing causes\nStarter, time, heat.");
  assert.equal(text("c-mars~client-created-root"), "What is the weather on Mars");
  assert.equal(text("c-mars~loop"), "minus 60");
  assert.equal(text("c-mars~d"), "half \ufffd and nul\na red planet");
});

test("content of an unknown type keeps its text", async () => {
  for (const content_type of ["constructor", "__proto__", "new_thing"]) {
    const message = {
      author: { role: "tool" },
      content: { content_type, text: "kept", parts: [null, 7, ["x"]] },
    };
    const files = { "conversations.json": JSON.stringify([{ id: "c", mapping: { n: { message } } }]) };
    assert.equal((await readAll(chatgpt, files)).stream("messages").get("c~n")?.text, "kept");
  }
});

test("citations are listed once for each address", async () => {
  const { stream } = await readAll(chatgpt, whole);
  assert.deepEqual(stream("messages").get("c-bread~a2")?.citations, [
    { title: "Proving", url: "https://example.com/prove", text: "Twelve hours." },
    { title: "Heat", url: "https://example.com/heat", text: "26 degrees" },
  ]);
});

test("files that messages point to are attachments: with content if the export has it, else by name", async () => {
  const { stream } = await readAll(chatgpt, whole);
  const files = stream("attachments");
  assert.deepEqual(
    [...files].map(([id, { name, kind, file }]) => [id, name, kind, file !== undefined]),
    [
      ["c-bread~u1~file-LoafPhoto1", "loaf.png", "image", true],
      ["c-bread~u1~file-RecipeText", "recipe.txt", "upload", true],
      ["c-bread~u1~file-Gone", "gone.pdf", "upload", false],
      ["c-mars~client-created-root~file_00voice", "file_00voice-1234.wav", "audio", true],
      ["c-mars~d~file-Dalle9", "file-Dalle9-5678.webp", "image", true],
    ],
  );
  assert.equal(files.get("c-bread~u1~file-RecipeText")?.text, "500 g flour, 350 g water");
  assert.deepEqual(stream("messages").get("c-mars~d")?.attachment_ids, ["c-mars~d~file-Dalle9"]);
});

test("elements that are not conversations are rejected with their place, and the rest is read", async () => {
  const { rejected, stream } = await readAll(chatgpt, whole);
  assert.equal(stream("conversations").size, 2);
  assert.deepEqual(
    rejected.map(({ place }) => place.replace(/\d+$/, "N")),
    ["conversations.json, conversation 3 at byte N", "conversations.json, conversation 4 at byte N"],
  );
});

test("reading resumes after any checkpoint, over numbered files too, and gives the rest of the items", async () => {
  const files = {
    "conversations-000.json": JSON.stringify(conversations.slice(0, 1)),
    "conversations-001.json": JSON.stringify(conversations.slice(1)),
  };
  const { items } = await readAll(chatgpt, files);
  const checkpoints = items.flatMap(({ checkpoint }, at) =>
    checkpoint === undefined ? [] : [{ checkpoint, at }],
  );
  assert.equal(checkpoints.length, 4);
  for (const { checkpoint, at } of checkpoints) {
    assert.deepEqual((await readAll(chatgpt, files, checkpoint)).items, items.slice(at + 1));
  }
});

const corpus = join(import.meta.dirname, "../../../../../shared/corpora/chatgpt");

suite("real exports", { skip: !existsSync(corpus) }, () => {
  const counts: Readonly<Record<string, readonly [conversations: number, messages: number]>> = {
    "chatgpt-export.json": [2, 21],
    "chatgpt-tree.json": [1, 12],
    "chatgpt-citations.json": [1, 2],
    "example-conversation.json": [1, 6],
  };
  for (const [name, expected] of Object.entries(counts)) {
    test(`${name} has ${expected[0]} conversations and ${expected[1]} messages`, async () => {
      const files = await openFiles(join(corpus, name));
      assert.equal(await matchesFiles(chatgpt, files), true);
      const { stream, rejected } = await readAll(chatgpt, files);
      assert.deepEqual([stream("conversations").size, stream("messages").size], expected);
      assert.deepEqual(rejected, []);
    });
  }

  test("another program's export is not mistaken for one", async () => {
    assert.equal(await matchesFiles(chatgpt, await openFiles(join(corpus, "chatbotui-export.json"))), false);
  });
});
