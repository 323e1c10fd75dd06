import assert from "node:assert/strict";
import { test } from "node:test";
import { measurePace, renderPace } from "./progress.ts";

test("progress has an end: what is done of all, the rates, the time left and the file", () => {
  const pace = measurePace({
    read_bytes: 12e6,
    total_bytes: 40e6,
    path: "mail/inbox.mbox",
    items: 5120,
    began_bytes: 0,
    run_ms: 2000,
  });
  assert.equal(pace.seconds_left, 5);
  assert.equal(
    renderPace(pace),
    "12.0 of 40.0 MB (30%), 5,120 items, 2,560 items/s, 6.0 MB/s, 5 s left, mail/inbox.mbox",
  );
});

test("a resumed import counts only what it reads itself, and no rate gives no time left", () => {
  const resumed = { read_bytes: 30e6, total_bytes: 40e6, items: 1, began_bytes: 25e6, run_ms: 1000 };
  assert.equal(measurePace(resumed).seconds_left, 2);
  const still = measurePace({ ...resumed, began_bytes: 30e6 });
  assert.equal(still.seconds_left, undefined);
  assert.equal(renderPace(still), "30.0 of 40.0 MB (75%), 1 items, 1 items/s, 0.0 MB/s");
});

test("files that grew, long paths, long times and control characters keep to one line", () => {
  const pace = measurePace({
    read_bytes: 5e6,
    total_bytes: 4e6,
    path: `${"folder/".repeat(20)}a\n\u001b[2Jb`,
    items: 0,
    began_bytes: 0,
    run_ms: 1000,
  });
  const line = renderPace(pace);
  assert.match(line, /\(100%\)/);
  assert.ok(!line.includes("\n") && !line.includes("\u001b"));
  assert.ok(line.length < 120);
  assert.match(renderPace({ ...pace, seconds_left: 7200 }), /2\.0 h left/);
  assert.match(renderPace({ ...pace, seconds_left: 600 }), /10 min left/);
});
