import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { countChars } from "../text/code-points.ts";
import { CARD_LINE_CHARS, cardSchema, createCard } from "./card.ts";

test("R36 a card is made of declared roles", () => {
  const data = {
    a: "Lunch\non  Friday ",
    b: "2026-01-02",
    c: ["Ann", "Bo"],
    d: 12.5,
    e: "…",
    f: "long text",
  };
  const roles = {
    "primary-title": ["a"],
    "event-time": ["b"],
    actor: ["c"],
    amount: ["d"],
    secondary: ["e"],
    body: ["f"],
  };
  const card = {
    title: "Lunch on Friday",
    event_time: "2026-01-02",
    actor: "Ann, Bo",
    secondary: "…",
    amount: "12.5",
    body_field: "f",
  };
  assert.deepEqual(createCard(roles, data), card);
});

test("R36 a card does not show the thread", () => {
  assert.deepEqual(createCard({ thread: ["chat_id"] }, { chat_id: "7" }), {});
});

test("R36 no field is guessed from its name", () => {
  assert.deepEqual(
    createCard({}, { title: "T", subject: "S", body: "B", date: "2026", from: "x", amount: 1 }),
    {},
  );
});

test("R36 the first declared field with a value counts; objects and missing fields do not", () => {
  const roles = {
    "primary-title": ["missing", "empty", "object", "constructor", "b"],
    body: ["missing", "empty"],
  };
  const card = createCard(roles, { empty: null, object: { title: "x" }, b: "B" });
  assert.deepEqual(card, { title: "B" });
});

test("R36 a card's lines are bounded, and each is one line", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const card = createCard(
        { "primary-title": ["a"], actor: ["b"] },
        { a: text.repeat(5), b: [text, text] },
      );
      assert.ok(cardSchema.safeParse(card).success);
      for (const line of [card.title ?? "", card.actor ?? ""]) {
        assert.ok(countChars(line) <= CARD_LINE_CHARS);
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
      }
    }),
  );
});
