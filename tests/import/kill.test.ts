import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MAIN } from "../../testing/cli/program.ts";
import { engines, type Place } from "../../testing/engines.ts";
import { writeMbox } from "../../testing/files/mbox.ts";
import { createRandom } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";
import { type Contents, digestContents } from "./digest.ts";

/** How many imports are killed on each engine; the long form is 50. */
const KILLS = readSize("RUNGS_IMPORT_KILLS");
const MBOX_BYTES = KILLS < 20 ? 1_500_000 : 6_000_000;

const folder = mkdtempSync(join(tmpdir(), "rungs-kill-"));
const mbox = join(folder, "kept.mbox");
let messages = 0;

before(() => {
  messages = writeMbox(mbox, { bytes: MBOX_BYTES });
});
after(() => rmSync(folder, { recursive: true }));

/** The program without its launcher, so that a kill hits the writing process. */
function start(place: Place): ChildProcess {
  const argv = ["--conditions=rungs-source", MAIN, "import", mbox, "--json", "--database", place.address];
  return spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
}

async function finish(place: Place) {
  const program = start(place);
  let out = "";
  program.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  const [code] = await once(program, "close");
  assert.equal(code, 0);
  return JSON.parse(out);
}

async function contentsOf(place: Place): Promise<Contents> {
  const store = await place.open();
  try {
    const [owner_id = ""] = await store.listOwners();
    assert.deepEqual(await store.check(owner_id), []);
    assert.deepEqual(await store.listState(owner_id, "import"), []);
    return await digestContents(store);
  } finally {
    await store.close();
  }
}

for (const engine of ["sqlite", "postgres"] as const) {
  suite(engine, () => {
    test("an import killed at random points and resumed ends in the same database as an undisturbed one", async () => {
      const whole = await engines[engine]();
      const began = performance.now();
      const first = await finish(whole);
      const took_ms = performance.now() - began;
      const expected = await contentsOf(whole);
      assert.equal(first.added, expected.records);
      assert.ok(expected.records > messages && expected.texts > 0 && expected.blobs > 0);

      const again = await finish(whole);
      assert.deepEqual([again.added, again.changed, again.unchanged], [0, 0, expected.records]);
      assert.deepEqual(await contentsOf(whole), expected);
      await whole.remove();

      const random = createRandom(KILLS);
      let place = await engines[engine]();
      let resumed = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const program = start(place);
        const ended = once(program, "close");
        // Skip the start-up: most kills should hit while records are written.
        await Promise.race([ended, delay((0.2 + 0.8 * random()) * took_ms)]);
        program.kill("SIGKILL");
        await ended;
        // Some kills hit a resumed import; every third import finishes and starts over.
        if (kill % 3 !== 2 && kill < KILLS - 1) continue;
        const result = await finish(place);
        resumed += result.is_resumed ? 1 : 0;
        assert.deepEqual(await contentsOf(place), expected);
        await place.remove();
        place = await engines[engine]();
      }
      await place.remove();
      if (KILLS >= 20) assert.ok(resumed > 0, "no import was ever taken up");
    });
  });
}
