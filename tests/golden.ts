import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** Compares `text` with the golden file at `url`; `UPDATE_GOLDEN=1` writes the file instead, for the diff to show. */
export function assertGolden(url: URL, text: string): void {
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(new URL(".", url), { recursive: true });
    writeFileSync(url, text);
    return;
  }
  assert.equal(text, readFileSync(url, "utf8"), `${url.pathname} differs; run with UPDATE_GOLDEN=1 and review the diff`);
}
