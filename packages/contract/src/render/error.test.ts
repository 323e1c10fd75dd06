import assert from "node:assert/strict";
import { test } from "node:test";
import { renderError } from "./error.ts";
import { formatToolCall } from "./options.ts";

const options = { write: formatToolCall, budget_bytes: 7000 };

test("an error starts with its code and ends with what to do next, in plain text", () => {
  const next = ["acct-1", "acct-2"].map(
    (one) => ({ operation: "fetch", args: { id: `${one}/messages:a` } }) as const,
  );
  const error = {
    code: "ambiguous_connection",
    message: "Two connections hold it.",
    advice: "Choose one.",
    next,
  };
  assert.equal(
    renderError(error, options),
    `ambiguous_connection: Two connections hold it. Choose one.
try: fetch(id="acct-1/messages:a")
try: fetch(id="acct-2/messages:a")`,
  );
  assert.equal(renderError({ code: "not_found", message: "a\nb" }, options), "not_found: a b");
});

test("an error with many calls to try keeps whole lines within the budget", () => {
  const next = Array.from(
    { length: 50 },
    () => ({ operation: "fetch", args: { id: "acct-1/messages:a" } }) as const,
  );
  const text = renderError({ code: "x", message: "y", next }, { ...options, budget_bytes: 100 });
  assert.deepEqual(text.split("\n"), [
    "x: y",
    'try: fetch(id="acct-1/messages:a")',
    'try: fetch(id="acct-1/messages:a")',
  ]);
});
