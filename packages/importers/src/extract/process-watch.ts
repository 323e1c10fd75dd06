import { Worker } from "node:worker_threads";

const WATCH = `const { workerData: { max_bytes, parent } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > max_bytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 50);`;

/**
 * Kills this process when it grows too large or is orphaned, from a thread that a document cannot block.
 * `--max-old-space-size` limits only the heap; unpacked documents are in buffers outside it.
 */
export function watchProcess(max_bytes: number): void {
  new Worker(WATCH, { eval: true, workerData: { max_bytes, parent: process.ppid } }).unref();
}
