/** Puts a field of 100 MiB in, in a process of its own, and tells how much memory that took beyond the value. */
import { spawnSync } from "node:child_process";
import { CONNECTION, OWNER, openSqliteEngine } from "./engines.ts";
import { fieldSizes, mixedText } from "./windows.ts";

const MIB = 1024 ** 2;

export function benchLargeField(): void {
  const child = spawnSync(process.execPath, [...process.execArgv, "--expose-gc", import.meta.filename], {
    encoding: "utf8",
  });
  console.log(child.stdout || child.stderr);
}

async function measure(): Promise<void> {
  const engine = await openSqliteEngine();
  const text = mixedText(fieldSizes["100 MiB"] as number);
  const put = (id: string, body: string) =>
    engine.store.ingest(OWNER, CONNECTION, [
      { stream: "messages", key: id, emitted_at: "2026-01-01T00:00:00Z", data: { id, body } },
    ]);
  await put("warm", mixedText(4 * MIB));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  const start = performance.now();
  await put("large", text);
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  peak = Math.max(peak, process.resourceUsage().maxRSS * 1024 > before ? process.memoryUsage.rss() : peak);
  console.log(
    `\nA field of 100 MiB goes in at ${(100 / seconds).toFixed(1)} MiB/s and takes ${((peak - before) / MIB).toFixed(0)} MiB beyond the value itself (SQLite).`,
  );
  await engine.close();
}

if (process.argv[1] === import.meta.filename) await measure();
