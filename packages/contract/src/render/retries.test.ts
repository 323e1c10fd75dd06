import assert from "node:assert/strict";
import { test } from "node:test";
import type { Continuation } from "@rungs/evidence";
import { describeRefusal } from "../errors/error-body.ts";
import { ApiError } from "../errors/errors.ts";
import { ambiguousConnection } from "../grant/resolve-detail.ts";
import { listRetries } from "./retries.ts";

const parts = { connection_id: "home", stream: "notes", record_id: "n1", field_path: "body" };

function retry(refusal: ApiError, call: Continuation): Continuation["args"][] {
  return listRetries(describeRefusal(refusal).body.error, call).map(({ args }) => args);
}

test("R24 a retry drops the failed cursor and nothing else", () => {
  const args = { ...parts, cursor: "c", limit_chars: 80 };
  const retries = retry(new ApiError("cursor_stale"), { operation: "read_record_field", args });
  assert.deepEqual(retries, [{ ...parts, limit_chars: 80 }]);
});

test("R23 a retry drops the query that did not match, in the same record", () => {
  const args = { ...parts, q: "tea", before_chars: 1, after_chars: 2 };
  assert.deepEqual(retry(new ApiError("match_not_found"), { operation: "read_record_field", args }), [parts]);
});

test("R04 a retry completes a short id for each possible connection, and gives a stream its connection_id", () => {
  const refusal = ambiguousConnection([{ connection_id: "home" }, { connection_id: "work" }]);
  const byId = retry(refusal, { operation: "fetch", args: { id: "notes:a/b", fields: ["title"] } });
  assert.deepEqual(
    byId.map(({ fields }) => fields),
    [["title"], ["title"]],
  );
  const whole = retry(refusal, { operation: "fetch", args: { id: "notes:n1" } });
  assert.deepEqual(whole, [{ id: "home/notes:n1" }, { id: "work/notes:n1" }]);
  const stream = retry(refusal, { operation: "query_records", args: { stream: "notes" } });
  assert.deepEqual(stream, [
    { stream: "notes", connection_id: "home" },
    { stream: "notes", connection_id: "work" },
  ]);
});

test("no retry is offered if only a different request helps", () => {
  assert.deepEqual(
    retry(new ApiError("not_found"), { operation: "fetch", args: { id: "home/notes:n1" } }),
    [],
  );
  assert.deepEqual(
    retry(new ApiError("invalid_cursor"), { operation: "search", args: { query: "tea" } }),
    [],
  );
});
