import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredRecord } from "@rungs/store";
import { writeConsistentLine } from "./consistent-line.ts";
import { RecordChangedError } from "./write-data.ts";

const record = (emitted_at: string) => ({ emitted_at }) as StoredRecord;

/**
 * Writes a line whose record has changed unless it is `current`; `before` pieces go out before the change is detected.
 */
function writer(current: string, before = 1, piece = "piece ") {
  return async function* ({ emitted_at }: StoredRecord) {
    for (let at = 0; at < before; at += 1) yield piece;
    if (emitted_at !== current) throw new RecordChangedError();
    yield emitted_at;
  };
}

async function textOf(line: AsyncGenerator<string> | undefined): Promise<string> {
  return line ? (await Array.fromAsync(line)).join("") : "";
}

test("rereads a changed record and writes nothing of its old line", async () => {
  const states = ["second", "third"];
  const line = await writeConsistentLine(record("first"), writer("third"), async () =>
    record(states.shift() ?? ""),
  );
  assert.equal(await textOf(line), "piece third");
});

test("writes no line for a deleted record", async () => {
  assert.equal(
    await writeConsistentLine(record("first"), writer("second"), async () => undefined),
    undefined,
  );
});

test("fails the export when a record keeps changing, or changes after much of it was sent", async () => {
  const again = async () => record("again");
  await assert.rejects(writeConsistentLine(record("first"), writer("never"), again), RecordChangedError);
  const long = await writeConsistentLine(record("first"), writer("never", 40, "x".repeat(65_536)), again);
  await assert.rejects(textOf(long), RecordChangedError);
});

test("throws any other failure at once", async () => {
  const broken = async function* () {
    yield "piece";
    throw new Error("no database");
  };
  await assert.rejects(
    writeConsistentLine(record("first"), broken, async () => assert.fail("read again")),
    /no database/,
  );
});
