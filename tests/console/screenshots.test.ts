/** The screenshots in docs/ are up to date. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { PAGES, type ServedDemo, SHARED_PAGES, serveDemo } from "../../testing/console/demo.ts";
import { parseOutlines, readOutlines } from "../../testing/console/outlines.ts";

const FOLDER = new URL("../../docs/screenshots/", import.meta.url);

let demo: ServedDemo;
before(async () => {
  demo = await serveDemo();
});
after(() => demo?.close());

test("no screenshot is older than its page; npm run docs retakes them", async () => {
  const known = parseOutlines(readFileSync(new URL("outlines.ndjson", FOLDER), "utf8"));
  const outlines = await readOutlines(demo);
  for (const name of [...Object.keys(PAGES), ...SHARED_PAGES]) {
    assert.ok((outlines[name]?.length ?? 0) > 0, name);
    assert.deepEqual(outlines[name], known[name], `docs/screenshots/${name}-*.jpg shows another page`);
    assert.ok(existsSync(new URL(`${name}-desktop-light.jpg`, FOLDER)), name);
  }
});
