import assert from "node:assert/strict";
import { test } from "node:test";
import { LaneQueue } from "./lane-queue.ts";

test("R57 threads are started for lanes that may run, not for each job", () => {
  const queue = new LaneQueue<number>(1);
  for (const [lane, job] of [
    ["a", 1],
    ["a", 2],
    ["b", 3],
    ["heavy", 4],
  ] as const)
    queue.add(lane, job);
  const mayRun = (lane: string) => lane !== "heavy";
  assert.equal(queue.countReady(mayRun), 2);
  assert.deepEqual(queue.take(mayRun), { lane: "a", job: 1 });
  assert.equal(queue.countReady(mayRun), 1, "the lane's next job waits for the one that runs");
  queue.finish("a");
  assert.deepEqual([queue.countReady(mayRun), queue.countReady(() => true)], [2, 3]);
});
