import { Worker } from "node:worker_threads";

/** Rewrites the file without its free pages, and empties the write-ahead log: both may hold deleted content. */
const VACUUM = `
  const { workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData.file, { timeout: workerData.busy_ms });
  database.exec("VACUUM");
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  database.close();
  if (busy) throw new Error("readers hold the log");`;

/** Vacuums a database in a worker thread, since it takes long on a large one; false when others hold the file too long. */
export function vacuum(file: string, busy_ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const worker = new Worker(VACUUM, { eval: true, workerData: { file, busy_ms } });
    worker.once("error", () => resolve(false));
    worker.once("exit", (code) => resolve(code === 0));
  });
}
