/** PostgreSQL that is unreachable for a while: requests fail with a code, and succeed again when it is back. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { startProxy } from "../../testing/network/tcp-proxy.ts";
import { ask } from "../ask.ts";
import { places } from "../places.ts";
import { requireRefusals, underLoad } from "./under-load.ts";

const STALL_MS = 1_000;

/** Breaks, refuses and stalls connections `rounds` times each; returns the final number of records. */
export async function soakLostConnection(rounds: number): Promise<number> {
  const place = await places.PostgreSQL();
  const proxy = await startProxy(() => place.postgres?.socket ?? "");
  try {
    return await underLoad(
      place,
      async (service) => {
        const { server, world } = service;
        for (let round = 0; round < rounds; round += 1) {
          proxy.drop();
          await service.untilWell();
          proxy.refuse();
          const refusals = await requireRefusals(service, 3);
          for (const { code } of refusals) assert.equal(code, "database_unavailable");
          proxy.allow();
          await service.untilWell();
          proxy.stall();
          const waiting = ask(`${server.url}/v1/schema`, world.agents[0] ?? "");
          await delay(STALL_MS);
          proxy.allow();
          assert.equal((await waiting).status, 200);
        }
      },
      proxy.address,
    );
  } finally {
    await proxy.close();
    await place.remove();
  }
}
