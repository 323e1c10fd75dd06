/** Stores a large field and reports the memory used beyond the value. */
import { spawnSync } from "node:child_process";
import { CONNECTION, OWNER, openSqliteEngine } from "./engines.ts";
import { say } from "./figures.ts";
import { mixedText } from "./windows.ts";

const MIB = 1024 ** 2;
const SIZES_MIB = [25, 100];

/** Runs each size in a separate process, so that one does not affect the next. */
export function benchLargeField(): void {
  for (const size of SIZES_MIB) {
    const args = [...process.execArgv, "--expose-gc", import.meta.filename, String(size)];
    const child = spawnSync(process.execPath, args, { encoding: "utf8" });
    say(child.stdout.trim() || child.stderr);
  }
}

async function measure(sizeMib: number): Promise<void> {
  const engine = await openSqliteEngine();
  const text = mixedText(sizeMib * MIB);
  const put = (id: string, body: string) =>
    engine.store.ingest(OWNER, CONNECTION, [
      { stream: "messages", key: id, emitted_at: "2026-01-01T00:00:00Z", data: { id, body } },
    ]);
  await put("warm", mixedText(4 * MIB));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const start = performance.now();
  await put("large", text);
  const seconds = (performance.now() - start) / 1000;
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(
    `A field of ${sizeMib} MiB goes in at ${(sizeMib / seconds).toFixed(1)} MiB/s; the process grows by ${((peak - before) / MIB).toFixed(0)} MiB beyond the value itself (SQLite).`,
  );
  await engine.close();
}

if (process.argv[1] === import.meta.filename) await measure(Number(process.argv[2]));
