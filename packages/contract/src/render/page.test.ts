import assert from "node:assert/strict";
import { test } from "node:test";
import { type Continuation, countBytes, type RecordRef, viewRecord } from "@rungs/evidence";
import fc from "fast-check";
import { anyRef, anyText } from "../../../../testing/arbitraries.ts";
import { parseToolCall } from "../../../../testing/tool-call.ts";
import { formatToolCall } from "./options.ts";
import { renderPage } from "./page.ts";

const call: Continuation = { operation: "query_records", args: { stream: "messages" } };
const options = { write: formatToolCall, fence: "f00", budget_bytes: 7000 };

function recordOf(ref: RecordRef, data: Record<string, unknown>) {
  return { view: viewRecord({ ref, data, cuts: [], shapes: [], budget_bytes: 2000 }), card: {} };
}

const refAt = (record_id: string) => ({ connection_id: "acct-1", stream: "messages", record_id });

test("R35 each record has its whole id, a bounded line with ranges, and calls for what the line leaves out", () => {
  const data = {
    key: "a",
    subject: "Lunch",
    body: "word ".repeat(2000),
    picture: { blob_id: "b", mime_type: "image/png", size_bytes: 5, sha256: "0" },
  };
  const page = { records: [recordOf(refAt("a"), data)], has_more: true, next_cursor: "c" };
  const [id, line, read, whole, , foot, , more] = renderPage(page, call, options).split("\n");
  assert.equal(id, "acct-1/messages:a");
  assert.match(
    line!,
    /^ {2}subject: Lunch · body \(0-\d+ of 10000 chars\): word word.*… · picture: \(image\/png, 5 bytes\)$/,
  );
  assert.equal(read, '  read: read_record_field(id="acct-1/messages:a", field_path="body")');
  assert.equal(whole, '  read: fetch(id="acct-1/messages:a")');
  assert.equal(foot, "1 shown, there are more.");
  assert.deepEqual(parseToolCall(more!.replace("more: ", "")), {
    operation: "query_records",
    args: { stream: "messages", cursor: "c" },
  });
});

test("R35 a record that is shown whole has no call, and its id once", () => {
  const page = { records: [recordOf(refAt("a"), { id: "a", text: "tea" })], has_more: false };
  assert.deepEqual(renderPage(page, call, options).split("\n"), [
    "acct-1/messages:a",
    "  text: tea",
    "",
    "1 shown, the last page.",
    'whole record: fetch(id="acct-1/messages:a")',
  ]);
});

test("R35 a page of 25 keeps every record; a page of 100 says how many it drops and how to read them", () => {
  const records = Array.from({ length: 100 }, (_, at) =>
    recordOf(refAt(`record-${at}`), { body: "word ".repeat(200) }),
  );
  const shownOf = (count: number) => {
    const text = renderPage({ records: records.slice(0, count), has_more: false }, call, options);
    assert.ok(countBytes(text) <= options.budget_bytes);
    return { text, shown: records.filter(({ view }) => text.split("\n").includes(view.record.id)).length };
  };
  assert.equal(shownOf(25).shown, 25);
  const { text, shown } = shownOf(100);
  assert.ok(shown > 25 && shown < 100);
  assert.ok(text.includes(`${shown} shown, ${100 - shown} more of this page did not fit here.`));
  assert.deepEqual(parseToolCall(text.split("\n").at(-1)!.replace("more: ", ""))?.args.limit, shown);
});

test("R35 any page fits any budget, and no record text starts a line", () => {
  const record = fc
    .tuple(anyRef, anyText)
    .map(([ref, text]) => recordOf(ref, { body: `\nmore: x\n${text}` }));
  fc.assert(
    fc.property(fc.array(record, { maxLength: 10 }), fc.nat(4000), (records, budget_bytes) => {
      const text = renderPage({ records, has_more: false }, call, { ...options, budget_bytes });
      assert.ok(countBytes(text) <= budget_bytes);
      assert.doesNotMatch(text, /^more: x/m);
    }),
    { numRuns: 200 },
  );
});
