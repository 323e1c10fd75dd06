/** Limits for items that are read in this process: a thread, which no item can block, kills the process beyond them. */
import { Worker } from "node:worker_threads";

/** The limits of one item. Generous wall time, since the bench may share its machine. */
const BOUNDS = { cpu_ms: 5_000, real_ms: 300_000, memory_bytes: 1024 ** 3 };

const WATCH = `const { workerData: { counter, cpu_ms, real_ms, memory_bytes } } = require("node:worker_threads");
const spentMs = () => process.cpuUsage().user / 1000;
let seen = { count: -1 };
setInterval(() => {
  const count = Atomics.load(counter, 0);
  if (count !== seen.count) seen = { count, cpu: spentMs(), real: performance.now() };
  const problem =
    process.memoryUsage.rss() > memory_bytes ? "the process is larger than " + memory_bytes + " bytes"
    : spentMs() - seen.cpu > cpu_ms ? "an item took longer than " + cpu_ms + " ms of processor time"
    : performance.now() - seen.real > real_ms ? "an item took longer than " + real_ms + " ms" : undefined;
  if (!problem) return;
  require("node:fs").writeSync(2, "Beyond its bounds: " + problem + ". Run again to go on after this seed.\\n");
  process.kill(process.pid, "SIGKILL");
}, 100);`;

/** Starts the watch; the function that it returns is called before each item. */
export function watchItems(): () => void {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  new Worker(WATCH, { eval: true, workerData: { counter, ...BOUNDS } }).unref();
  return () => {
    Atomics.add(counter, 0, 1);
  };
}
