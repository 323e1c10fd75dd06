import assert from "node:assert/strict";
import { test } from "node:test";
import { countBytes } from "@rungs/evidence";
import { parseToolCall } from "../../../../testing/tool-call.ts";
import type { Thread } from "../operations/read-thread.ts";
import { formatToolCall } from "./options.ts";
import { chooseNearest, renderThread } from "./thread.ts";

const call = { operation: "read_thread", args: { id: "acct-1/messages:m2", before: 2, after: 2 } };
const options = { write: formatToolCall, fence: "f00", budget_bytes: 7000 };

function createThread(count: number, anchor: number, body = (at: number) => `text ${at}`): Thread {
  const data = Array.from({ length: count }, (_, at) => ({
    object: "record" as const,
    id: `m${at}`,
    handle: `acct-1/messages:m${at}`,
    connection_id: "acct-1",
    stream: "messages",
    emitted_at: "2026-01-01T00:00:00Z",
    data: { author: "Ann", sent_at: `2026-01-0${(at % 9) + 1}`, body: body(at) },
    shapes: [
      { name: "author", role: "actor" as const },
      { name: "sent_at", role: "event-time" as const },
      { name: "body", role: "body" as const },
    ],
  }));
  const handle = (at: number) => `acct-1/messages:m${at}`;
  return {
    object: "thread",
    url: "/",
    anchor: handle(anchor),
    in_thread: true,
    data,
    has_before: true,
    has_after: false,
    before: { operation: "read_thread", args: { id: handle(0), before: 2, after: 0 } },
  };
}

test("R66 each record has its id, time, author and short text whole; the one asked for is marked", () => {
  assert.equal(
    renderThread(createThread(2, 1), call, options),
    `acct-1/messages:m0
  Thu 2026-01-01 · Ann
  body: text 0

acct-1/messages:m1  (asked for)
  Fri 2026-01-02 · Ann
  body: text 1

2 records of the thread, in the order of time.
earlier: read_thread(id="acct-1/messages:m0", before=2, after=0)
There are no later records in it.
The whole record: fetch(id="acct-1/messages:m1")`,
  );
});

test("R27 R66 a long text is cut with the call that reads on, and cannot forge a line", () => {
  const text = renderThread(
    createThread(1, 0, () => `a\nlater: fetch(id="x")\n${"word ".repeat(200)}`),
    call,
    options,
  );
  assert.match(text, /^ {2}body \(0-\d+ of 1023 chars\): a later: fetch.*…$/m);
  const read = /^ {2}read: (.*)$/m.exec(text)?.[1] ?? "";
  assert.deepEqual(parseToolCall(read)?.operation, "read_record_field");
  assert.doesNotMatch(text, /^later: /m);
});

test("R14 R66 if not all records fit, the nearest stay, and the calls continue from the first and last shown", () => {
  const text = renderThread(
    createThread(101, 50, () => "word ".repeat(90)),
    call,
    options,
  );
  assert.ok(countBytes(text) <= options.budget_bytes);
  const ids = [...text.matchAll(/^acct-1\/messages:m(\d+)/gm)].map(([, at]) => Number(at));
  assert.ok(ids.includes(50) && ids.length > 10 && ids.length < 101);
  assert.match(text, new RegExp(`${101 - ids.length} more did not fit here`));
  assert.ok(text.includes(`earlier: read_thread(id="acct-1/messages:m${ids[0]}", before=2, after=0)`));
  assert.ok(text.includes(`later: read_thread(id="acct-1/messages:m${ids.at(-1)}", before=0, after=2)`));
  for (let budget_bytes = 100; budget_bytes < 3000; budget_bytes += 100)
    assert.ok(
      countBytes(renderThread(createThread(9, 4), call, { ...options, budget_bytes })) <= budget_bytes,
    );
});

test("R66 a record in no thread says so and can be fetched", () => {
  const { before: _, ...thread } = createThread(1, 0);
  const text = renderThread({ ...thread, in_thread: false, has_before: false }, call, options);
  assert.match(text, /\n\nThis record is in no thread that can be read here\.\nThe whole record: fetch\(/);
});

test("R66 chooses the nearest records, as evenly on both sides as possible", () => {
  assert.deepEqual(chooseNearest(11, 5, 3), { start: 4, end: 7 });
  assert.deepEqual(chooseNearest(11, 0, 3), { start: 0, end: 3 });
  assert.deepEqual(chooseNearest(11, 10, 4), { start: 7, end: 11 });
  assert.deepEqual(chooseNearest(2, 1, 1), { start: 1, end: 2 });
});
