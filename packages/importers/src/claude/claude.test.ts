import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles, readAll } from "../read-all.test.ts";
import { claude } from "./claude.ts";

const at = (minute: number): string => `2025-03-01T10:${String(minute).padStart(2, "0")}:00.123456Z`;

const message = (uuid: string, sender: string, members: object) => ({
  uuid,
  text: "",
  sender,
  created_at: at(1),
  updated_at: at(1),
  attachments: [],
  files: [],
  ...members,
});

const conversations = [
  {
    uuid: "conv-1",
    name: "Garden plan",
    created_at: at(0),
    updated_at: at(9),
    account: { uuid: "acc-1" },
    chat_messages: [
      message("m-1", "human", {
        text: "Where do beans grow?",
        attachments: [
          {
            file_name: "beds.txt",
            file_size: 40,
            file_type: "txt",
            extracted_content: "Bed four faces south.",
          },
          { file_name: "", file_size: 3, file_type: "", extracted_content: "A pasted letter." },
        ],
        files: [{ file_name: "garden.jpg" }],
        files_v2: [{ file_name: "garden.jpg", file_kind: "image" }],
        parent_message_uuid: "00000000-0000-4000-8000-000000000000",
      }),
      message("m-2", "assistant", {
        text: "```\nThis block is not supported on your current device yet.\n```",
        parent_message_uuid: "m-1",
        content: [
          { type: "thinking", thinking: "South side is warm.", start_timestamp: at(1) },
          { type: "tool_use", name: "web_search", input: { query: "bean spacing", depth: 2 } },
          {
            type: "tool_result",
            name: "web_search",
            content: [
              { type: "knowledge", title: "Beans", url: "https://example.com/beans", text: "15 cm apart" },
            ],
          },
          {
            type: "text",
            text: "In bed four.",
            citations: [{ details: { type: "web", url: "https://example.com/beans" }, title: "Beans" }],
          },
        ],
      }),
      message("m-3", "assistant", {
        text: "stand-in",
        content: [{ type: "tool_result", name: "repl", content: "42" }],
      }),
      { text: "no id" },
      null,
    ],
  },
  { uuid: "conv-2", name: "", created_at: at(2), updated_at: at(2), chat_messages: [] },
  { name: "no uuid", chat_messages: [] },
];

const project = {
  uuid: "p-1",
  name: "Allotment",
  description: "Plot 12",
  is_private: true,
  prompt_template: "Answer as a gardener.",
  created_at: at(0),
  updated_at: at(0),
  creator: { uuid: "acc-1", full_name: "Ada" },
  docs: [{ uuid: "d-1", filename: "soil.md", content: "Heavy clay.", created_at: at(0) }],
};

const whole = {
  "conversations.json": JSON.stringify(conversations),
  "projects.json": JSON.stringify([project]),
  "users.json": JSON.stringify([{ uuid: "acc-1", full_name: "Ada", email_address: "ada@example.com" }]),
  "memories.json": JSON.stringify([
    { conversations_memory: "Grows beans.", project_memories: { "p-1": "Clay." }, account_uuid: "acc-1" },
  ]),
};

test("an export is detected by its content, with projects in one file or in many", async () => {
  const matches = (files: Record<string, string>) => matchesFiles(claude, createMemoryFiles("export", files));
  assert.equal(await matches(whole), true);
  assert.equal(
    await matches({ "conversations.json": "[]", "projects/p-1.json": JSON.stringify(project) }),
    true,
  );
  assert.equal(await matches({ renamed: whole["conversations.json"] }), true);
  assert.equal(await matches({ "conversations.json": '[{"title":"a","mapping":{}}]' }), false);
  assert.equal(await matches({ "users.json": whole["users.json"] }), false);
});

test("blocks of an unknown type keep their text, and the import says so", async () => {
  const say = (uuid: string, message: object) => ({ uuid, sender: "human", ...message });
  const messages = [
    say("m1", { text: "quokka7 with new block", content: [{ type: "voice_note", text: "quokka7 voice" }] }),
    say("m2", { text: "fallback", content: [{ type: "voice_note" }] }),
    say("m3", {
      content: [
        { type: "text", text: "said" },
        { type: "card", content: [{ title: "T", text: "card" }] },
      ],
    }),
    say("m4", {
      text: "placeholder",
      content: [{ type: "thinking", thinking: "hm", summaries: [{ summary: "short" }] }],
    }),
  ];
  const file = JSON.stringify([{ uuid: "c", name: "n", chat_messages: messages }]);
  const { stream, notes } = await readAll(claude, { "conversations.json": file });
  const texts = [...stream("messages").values()].map(({ text, thinking }) => [text, thinking]);
  assert.deepEqual(texts, [
    ["quokka7 voice", undefined],
    ["fallback", undefined],
    ["said\nT\ncard", undefined],
    [undefined, "hm\nshort"],
  ]);
  assert.deepEqual(notes, [
    "Blocks of the unknown type voice_note: 2. Their text was kept as text of the message.",
    "Blocks of the unknown type card: 1. Their text was kept as text of the message.",
  ]);
});

test("text comes from the blocks, and from the message only if no block has any", async () => {
  const { stream } = await readAll(claude, whole);
  const messages = stream("messages");
  assert.equal(messages.get("m-1")?.text, "Where do beans grow?");
  assert.equal(messages.get("m-3")?.text, undefined);
  assert.equal(messages.get("m-3")?.tools, "← repl\n42");
  assert.deepEqual(messages.get("m-2"), {
    id: "m-2",
    conversation_id: "conv-1",
    conversation: "Garden plan",
    parent_id: "m-1",
    role: "assistant",
    sent_at: "2025-03-01T10:01:00.123Z",
    updated_at: "2025-03-01T10:01:00.123Z",
    text: "In bed four.",
    thinking: "South side is warm.",
    tools:
      "→ web_search\nquery: bean spacing\ndepth: 2\n← web_search\nBeans\nhttps://example.com/beans\n15 cm apart",
    citations: [{ url: "https://example.com/beans", title: "Beans" }],
  });
});

test("the text of uploads is stored in separate records", async () => {
  const { stream } = await readAll(claude, whole);
  assert.deepEqual(
    [...stream("attachments").values()].map(({ message_id, name, text, size_bytes }) => [
      message_id,
      name,
      text,
      size_bytes,
    ]),
    [
      ["m-1", "beds.txt", "Bed four faces south.", 40],
      ["m-1", "pasted text", "A pasted letter.", 3],
    ],
  );
  const first = stream("messages").get("m-1");
  assert.deepEqual(
    [first?.file_names, first?.attachment_ids, first?.parent_id],
    [["garden.jpg"], ["m-1~1", "m-1~2"], undefined],
  );
});

test("projects, their documents and memories are records", async () => {
  for (const files of [
    whole,
    { ...whole, "projects.json": "[]", "projects/p-1.json": JSON.stringify(project) },
  ]) {
    const { stream } = await readAll(claude, files);
    assert.equal(stream("projects").get("p-1")?.instructions, "Answer as a gardener.");
    assert.deepEqual(stream("documents").get("d-1"), {
      id: "d-1",
      project_id: "p-1",
      project: "Allotment",
      title: "soil.md",
      text: "Heavy clay.",
      created_at: "2025-03-01T10:00:00.123Z",
    });
    assert.deepEqual(
      [...stream("memories").values()].map(({ text }) => text),
      ["Grows beans.", "Clay."],
    );
  }
});

test("entries without an id are rejected with their place, and the rest is read", async () => {
  const { rejected, stream } = await readAll(claude, whole);
  assert.equal(stream("messages").size, 3);
  assert.deepEqual(
    rejected.map(({ place }) => place.replace(/byte \d+/, "byte N")),
    [
      "conversations.json, entry 1 at byte N, message 4",
      "conversations.json, entry 1 at byte N, message 5",
      "conversations.json, entry 3 at byte N",
    ],
  );
});

test("reading resumes after any checkpoint and gives the rest of the items", async () => {
  const { items } = await readAll(claude, whole);
  const ends = items.flatMap(({ checkpoint }, at) => (checkpoint === undefined ? [] : [at]));
  assert.equal(ends.length, 5);
  for (const at of ends) {
    assert.deepEqual((await readAll(claude, whole, items[at]!.checkpoint)).items, items.slice(at + 1));
  }
});
