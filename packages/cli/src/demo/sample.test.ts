import assert from "node:assert/strict";
import { test } from "node:test";
import { listAssistant } from "./assistant.ts";
import { listChat } from "./chat.ts";
import { listHomeMail, listWorkMail } from "./mail.ts";

test("the sample data is the same every time", () => {
  for (const list of [listHomeMail, listWorkMail, listChat, listAssistant]) assert.deepEqual(list(), list());
});

test("the two mail accounts share keys, so that a key alone is ambiguous", () => {
  const home = new Set(listHomeMail().map(({ key }) => key));
  assert.ok(listWorkMail().every(({ key }) => home.has(key)));
});

test("a conversation is a tree: every message but the first has a parent, and some have several replies", () => {
  const messages = listAssistant().filter(({ stream }) => stream === "messages");
  const keys = new Set(messages.map(({ key }) => key));
  const parents = messages.map(({ data }) => data?.parent_id).filter((parent) => parent !== null);
  assert.ok(parents.every((parent) => keys.has(String(parent))));
  assert.ok(new Set(parents).size < parents.length);
});

test("one field is far longer than a window", () => {
  const last = listHomeMail().at(-1);
  assert.ok(String(last?.data?.body).length > 4 * 16_384);
});
