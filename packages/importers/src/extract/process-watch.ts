import { Worker } from "node:worker_threads";

const WATCH = `const { workerData: { max_bytes, parent } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > max_bytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 50);`;

/**
 * Ends this process when it has grown too large or lost its parent, from a thread that a document cannot keep busy.
 * `--max-old-space-size` counts the heap only; what documents unpack to lies in buffers outside of it.
 */
export function watchProcess(max_bytes: number): void {
  new Worker(WATCH, { eval: true, workerData: { max_bytes, parent: process.ppid } }).unref();
}
