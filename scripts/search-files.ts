/** Lists the source files of which one warm search over REST runs at least one function: `node --conditions=rungs-source scripts/search-files.ts`. */
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorld } from "../testing/world.ts";

const PATH = "/v1/search?q=tea%20number&limit=5";
const ROOT = fileURLToPath(new URL("..", import.meta.url));

const world = await createWorld("sqlite");
const session = new Session();
session.connect();
await world.json(PATH);
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await world.json(PATH);
// The first answer includes code that ran before coverage began, with counts of 0.
await session.post("Profiler.takePreciseCoverage");
await world.json(PATH);
const { result } = await session.post("Profiler.takePreciseCoverage");
session.disconnect();
await world.close();

const files = result
  .filter(({ url }) => url.startsWith("file:") && url.includes("/packages/"))
  .map(({ url, functions }) => ({
    file: relative(ROOT, fileURLToPath(url)),
    count: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length,
  }))
  .filter(({ count }) => count > 0)
  .sort((a, b) => (a.file < b.file ? -1 : 1));
for (const { file, count } of files) console.log(`${String(count).padStart(4)} ${file}`);
console.log(`${files.length} files, ${files.reduce((sum, { count }) => sum + count, 0)} functions`);
