import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "./ask.ts";
import { COMMON, STREAM } from "./notes.ts";
import type { Service } from "./service.ts";
import { CONNECTION } from "./world.ts";
import { requirePassing } from "./writers.ts";

/** Reads while others write, until aborted: every answer is correct or reports that the database is unavailable. */
export async function runReader(service: Service, stop: AbortSignal): Promise<void> {
  const token = service.world.agents[0] ?? "";
  while (!stop.aborted) {
    const url = await service.ready;
    const found = await ask(`${url}/v1/search?q=${COMMON}&connection_id=${CONNECTION}&limit=5`, token);
    if (found.status !== 200) requirePassing(found);
    else for (const hit of found.body.data) await readHit(url, token, hit.record_id);
    await delay(100);
  }
}

/** The note may be deleted by now; otherwise its window contains the word that the search found. */
async function readHit(url: string, token: string, record_id: string): Promise<void> {
  const path = `/v1/streams/${STREAM}/records/${record_id}/field-window?connection_id=${CONNECTION}&field_path=body`;
  const answer = await ask(url + path, token);
  if (answer.status === 200) assert.ok(answer.body.window.text.startsWith(COMMON));
  else if (answer.status !== 404) requirePassing(answer);
}
