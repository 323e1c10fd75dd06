/** A fault while writers write: afterwards every acknowledged record is stored. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Json, sendRecords } from "../ask.ts";
import { Ledger } from "../ledger.ts";
import { createNote, numberOf, STREAM, toLines } from "../notes.ts";
import type { Place } from "../places.ts";
import { runReader } from "../readers.ts";
import { Service } from "../service.ts";
import { verifyPlace } from "../verify.ts";
import { CONNECTION, createWorld, IMPORTS } from "../world.ts";
import { runWriters } from "../writers.ts";

const PROBE = "probe";
const PROBES_MAX = 2_000;

/** Serves a database, writes to it, and runs `fault` meanwhile; returns the final number of records. */
export async function underLoad(
  place: Place,
  fault: (service: Service, ledger: Ledger) => Promise<void>,
  address: string = place.address,
): Promise<number> {
  const world = await createWorld(place);
  const service = new Service({ ...world, place: { ...place, address } });
  const ledger = new Ledger();
  const stop = new AbortController();
  try {
    await service.start();
    const options = { service, ledger, writers: 3, stop: stop.signal };
    const load = Promise.all([runWriters(options), runReader(service, stop.signal)]);
    const grow = async (count: number) => {
      const enough = ledger.acknowledged + count;
      while (ledger.acknowledged < enough) await Promise.race([load, delay(20)]);
    };
    await grow(50);
    await Promise.race([load, fault(service, ledger)]);
    await grow(1);
    stop.abort();
    await load;
    await service.stop();
    const kept = new Map(ledger.kept);
    await settleProbe(place, kept);
    return await verifyPlace(place, { [CONNECTION]: kept, [IMPORTS]: new Map() });
  } finally {
    stop.abort();
    await service.end();
  }
}

/** Writes until the server refuses `count` times, which it must. */
export async function requireRefusals(service: Service, count: number): Promise<[Json, ...Json[]]> {
  const { server, world } = service;
  const refusals: Json[] = [];
  for (let probe = 0; refusals.length < count; probe += 1) {
    assert.ok(probe < PROBES_MAX, "nothing was refused");
    const lines = toLines([createNote(PROBE, 90_000_000 + probe)]);
    const answer = await sendRecords(server.url, world.owner, CONNECTION, lines);
    assert.notEqual(answer.status, 0, "the server does not answer");
    if (answer.status !== 200 && answer.status !== 429) refusals.push(answer.body.error);
    await delay(10);
  }
  return refusals as [Json, ...Json[]];
}

/** The probe's note is stored in one of its versions or not at all. */
async function settleProbe(place: Place, kept: Map<string, number>): Promise<void> {
  const store = await place.open();
  const [owner_id = ""] = await store.listOwners();
  const scope = {
    owner_id,
    streams: [{ connection_id: CONNECTION, stream: STREAM, fields: ["written_at"] }],
  };
  const ref = { connection_id: CONNECTION, stream: STREAM, record_id: PROBE };
  const found = await store.getRecord(scope, ref);
  await store.close();
  if (found) kept.set(PROBE, numberOf(found.data));
}
