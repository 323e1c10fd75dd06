/** Conversations with people and with models, from the export to the evidence of a search. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createChatGptNode } from "../../testing/fuzz/samples.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-chats-"));
const env = { RUNGS_HOME: join(folder, "home"), RUNGS_TOKEN: "" };
after(() => rmSync(folder, { recursive: true }));

const LONG = "We spoke of the weather. ".repeat(800);

const conversations = [
  {
    conversation_id: "c1",
    title: "Bread",
    create_time: 1_704_000_000,
    current_node: "a2",
    mapping: {
      u1: createChatGptNode("u1", null, "user", "Why is my sourdough flat?"),
      a1: createChatGptNode("a1", "u1", "assistant", `${LONG}The levain was drowsy.`),
      a2: createChatGptNode("a2", "u1", "assistant", "Let it prove longer."),
    },
  },
];

const files = {
  "chatgpt/conversations.json": conversations,
  "slack/users.json": [{ id: "U1", name: "ada", profile: { display_name: "Ada" } }],
  "slack/channels.json": [{ id: "C1", name: "pottery" }],
  "slack/pottery/2023-11-14.json": [
    {
      user: "U1",
      ts: "1700000001.000200",
      thread_ts: "1700000001.000200",
      reply_count: 1,
      text: "The kiln broke",
    },
    {
      user: "U1",
      ts: "1700000002.000300",
      thread_ts: "1700000001.000200",
      text: `${LONG}<@U1> ordered a thermocouple`,
    },
  ],
  "claude/conversations.json": [
    {
      uuid: "c2",
      name: "Garden",
      chat_messages: [
        {
          uuid: "m1",
          sender: "human",
          text: "See the plan",
          attachments: [{ file_name: "plan.txt", extracted_content: `${LONG}Bed four faces the orangery.` }],
        },
      ],
    },
  ],
  "telegram/result.json": {
    name: "Boat club",
    type: "private_group",
    id: 7,
    messages: [
      {
        id: 1,
        type: "message",
        date_unixtime: "1714550460",
        from: "Bob",
        text: ["The ", { type: "bold", text: "mizzenmast" }],
      },
    ],
  },
  "WhatsApp Chat with Bob.txt":
    "13/05/2024, 09:00 - Bob: morning\n13/05/2024, 09:01 - Ada: bring the\nmarlinspike\n14/05/2024, 09:02 - Bob: yes\n",
};

const paths = ["chatgpt", "slack", "claude", "telegram", "WhatsApp Chat with Bob.txt"];

const ask = async (...argv: string[]) => {
  const { code, out, err } = await rungsHere([...argv, "--json"], env);
  assert.equal(code, 0, err);
  return JSON.parse(out);
};

before(async () => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  const allowed: string[] = [];
  for (const path of paths) {
    const { rejected, added, connection_id } = await ask("import", join(folder, path));
    assert.equal(rejected, 0, path);
    assert.ok(added > 0);
    allowed.push("--allow", `${connection_id}/*`);
  }
  env.RUNGS_TOKEN = (await ask("grant", "create", "--client", "shell", ...allowed)).token;
});

/** The only hit for a word, and the text at the range of its evidence. */
async function prove(word: string) {
  const { data } = await ask("search", word);
  assert.equal(data.length, 1, word);
  const [hit] = data;
  const [evidence] = hit.evidence;
  const [{ start_chars, end_chars }] = evidence.matches;
  const { window } = await ask(
    "read",
    hit.id,
    evidence.field_path,
    "--offset",
    String(start_chars),
    "--limit",
    String(end_chars - start_chars),
  );
  return {
    stream: hit.stream,
    record_id: hit.record_id,
    field: evidence.field_path,
    text: window.text,
    id: hit.id,
  };
}

test("R11 words deep in a reply of a Slack thread are found, with the window that proves it", async () => {
  const { stream, record_id, field, text, id } = await prove("thermocouple");
  assert.deepEqual(
    [stream, record_id, field, text],
    ["messages", "C1~1700000002.000300", "text", "thermocouple"],
  );
  const { data } = await ask("fetch", id, "--fields", "parent_id,channel,user");
  assert.deepEqual(data, { parent_id: "C1~1700000001.000200", channel: "pottery", user: "Ada" });
});

test("R11 words in a hidden branch of a conversation are found, and the record says that it is hidden", async () => {
  const { stream, record_id, field, text, id } = await prove("drowsy");
  assert.deepEqual([stream, record_id, field, text], ["messages", "c1~a1", "text", "drowsy"]);
  const { data } = await ask("fetch", id, "--fields", "is_current,parent_id,conversation");
  assert.deepEqual(data, { is_current: false, parent_id: "c1~u1", conversation: "Bread" });
});

test("R33 words of an upload that the export contains only as text are found", async () => {
  const { stream, record_id, field, text } = await prove("orangery");
  assert.deepEqual([stream, record_id, field, text], ["attachments", "m1~1", "text", "orangery"]);
});

test("R11 words of Telegram and WhatsApp messages are found", async () => {
  assert.equal((await prove("mizzenmast")).text, "mizzenmast");
  assert.equal((await prove("marlinspike")).text, "marlinspike");
});

test("running the imports again changes nothing", async () => {
  for (const path of paths) {
    const { added, changed, rejected } = await ask("import", join(folder, path));
    assert.deepEqual([added, changed, rejected], [0, 0, 0], path);
  }
});
