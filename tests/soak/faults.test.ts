import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { soakClock } from "../../soak/faults/clock.ts";
import { soakDamage } from "../../soak/faults/damage.ts";
import { soakFailingDisk, soakFullDisk } from "../../soak/faults/full-disk.ts";
import { soakLostConnection } from "../../soak/faults/lost-connection.ts";
import { soakReadOnly } from "../../soak/faults/read-only.ts";
import { createFilePlace, createFolder, type Place } from "../../soak/places.ts";
import { engines } from "../../testing/engines.ts";

test("a full disk gives a coded error, the server recovers once there is space, and nothing is lost", async (context) => {
  const records = await soakFullDisk(1);
  if (records === undefined) return context.skip("no small disk can be mounted here");
  assert.ok(records > 0);
});

test("a disk that fails every write gives a coded error, and nothing is lost", async (context) => {
  const records = await soakFailingDisk(1);
  if (records === undefined) return context.skip("there is no prlimit here");
  assert.ok(records > 0);
});

test("a read-only home gives one clear sentence, and is served once writable again", async (context) => {
  const records = await soakReadOnly();
  if (records === undefined) return context.skip("no folder can be made read-only here");
  assert.ok(records > 0);
});

test("doctor finds a damaged page, and every read gives the correct answer or a coded error", async () => {
  const { right, refused } = await soakDamage(8);
  assert.ok(right > 0 && refused > 0, `${right} right, ${refused} refused`);
});

test("an unreachable PostgreSQL gives a coded error, and nothing is lost", async () => {
  assert.ok((await soakLostConnection(1)) > 0);
});

const clockPlaces: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => createFilePlace(createFolder()),
  async PostgreSQL() {
    const { address, open, remove } = await engines.postgres();
    const folder = createFolder();
    return {
      engine: "PostgreSQL",
      address,
      folder,
      open,
      async remove() {
        await remove();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

for (const [engine, create] of Object.entries(clockPlaces)) {
  test(`a clock that jumps loses nothing and locks nobody out (${engine})`, async () => {
    const place = await create();
    try {
      assert.ok((await soakClock(place)) > 0);
    } finally {
      await place.remove();
    }
  });
}
