/** Several processes on one SQLite database: a server that receives writes, imports, and two stdio adapters. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { startStdio } from "../testing/mcp/connect.ts";
import { Imports } from "./imports.ts";
import { Ledger } from "./ledger.ts";
import { COMMON } from "./notes.ts";
import { places } from "./places.ts";
import { runReader } from "./readers.ts";
import { Service } from "./service.ts";
import { verifyPlace } from "./verify.ts";
import { CONNECTION, createWorld, IMPORTS, type World } from "./world.ts";
import { runWriters } from "./writers.ts";

const ADAPTERS = 2;

export interface ProcessFigures {
  readonly acknowledged: number;
  readonly imports: number;
  /** Tools that the adapters called. */
  readonly calls: number;
  readonly records: number;
}

/** Runs all of them for a while; none may fail, and every write is stored. */
export async function soakProcesses(seconds: number, records: number): Promise<ProcessFigures> {
  const place = await places.SQLite();
  const world = await createWorld(place, { agents: 1 + ADAPTERS });
  const service = new Service(world);
  const ledger = new Ledger();
  const imports = new Imports(service, records);
  const stop = new AbortController();
  try {
    await service.start();
    const load = Promise.all([
      runWriters({ service, ledger, writers: 3, stop: stop.signal }),
      imports.run(stop.signal),
      runReader(service, stop.signal),
      ...Array.from({ length: ADAPTERS }, (_, at) => runAdapter(world, at + 1, stop.signal)),
    ]);
    await Promise.race([load, delay(seconds * 1000)]);
    stop.abort();
    const calls = (await load).reduce<number>((sum, each) => sum + (each ?? 0), 0);
    await service.stop();
    const expected = { [CONNECTION]: ledger.kept, [IMPORTS]: imports.listNotes(imports.finished) };
    const count = await verifyPlace(place, expected);
    return { acknowledged: ledger.acknowledged, imports: imports.finished, calls, records: count };
  } finally {
    stop.abort();
    await service.end();
    await imports.end();
    await place.remove();
  }
}

/** Searches, reads and fetches through an adapter that opens the database itself. */
async function runAdapter({ place, agents }: World, agent: number, stop: AbortSignal): Promise<number> {
  const client = await startStdio({ RUNGS_DATABASE: place.address, RUNGS_TOKEN: agents[agent] ?? "" });
  let calls = 0;
  const call = async (name: string, args: Record<string, unknown>) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
    assert.ok(!isError, JSON.stringify(content));
    calls += 1;
    return structuredContent as { results: { id: string }[] };
  };
  try {
    do {
      const { results } = await call("search", { query: COMMON, connection_id: IMPORTS });
      const [hit] = results;
      if (hit) await call("read_record_field", { id: hit.id, field_path: "body" });
      await call("schema", {});
      await delay(60);
    } while (!stop.aborted);
  } finally {
    await client.close();
  }
  return calls;
}
