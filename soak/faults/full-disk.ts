/** A disk that fills up under a running server: writes fail with a code, and nothing is lost. */
import assert from "node:assert/strict";
import { createFilePlace, createFolder, type Place } from "../places.ts";
import type { Service } from "../service.ts";
import { canLimit, failWrites, fillDisk, mountSmall, unmount } from "./small-disk.ts";
import { requireRefusals, underLoad } from "./under-load.ts";

const DISK_MEGABYTES = 64;

/** Fills a small disk `rounds` times; undefined where none can be mounted. */
export async function soakFullDisk(rounds: number): Promise<number | undefined> {
  const folder = createFolder();
  if (!mountSmall(folder, DISK_MEGABYTES)) return undefined;
  const place = createFilePlace(folder);
  try {
    return await failAndRecover(place, rounds, () => fillDisk(folder), "The disk of the database is full.");
  } finally {
    unmount(folder);
    await place.remove();
  }
}

/** Makes all writes of the server fail, `rounds` times; undefined where the system does not support it. */
export async function soakFailingDisk(rounds: number): Promise<number | undefined> {
  if (!canLimit) return undefined;
  const place = createFilePlace(createFolder());
  try {
    const begin = ({ server }: Service) => failWrites(server);
    return await failAndRecover(place, rounds, begin, "The disk of the database fails.");
  } finally {
    await place.remove();
  }
}

async function failAndRecover(
  place: Place,
  rounds: number,
  begin: (service: Service) => () => void,
  sentence: string,
): Promise<number> {
  return underLoad(place, async (service) => {
    for (let round = 0; round < rounds; round += 1) {
      const end = begin(service);
      try {
        const [refusal] = await requireRefusals(service, 3);
        assert.deepEqual([refusal.code, refusal.message], ["database_unavailable", sentence]);
      } finally {
        end();
      }
      await service.untilWell();
    }
  });
}
