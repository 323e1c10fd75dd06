import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** Compares `text` with the golden file at `url`; `UPDATE_GOLDEN=1` writes the file instead, for the diff to show. */
export function assertGolden(url: URL, text: string): void {
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(new URL(".", url), { recursive: true });
    writeFileSync(url, text);
    return;
  }
  const golden = readFileSync(url, "utf8").split("\n");
  const lines = text.split("\n");
  const at = lines.findIndex((line, index) => line !== golden[index]);
  if (at < 0 && lines.length === golden.length) return;
  const line = at < 0 ? lines.length : at;
  const message = `${url.pathname}:${line + 1} differs; run with UPDATE_GOLDEN=1 and review the diff`;
  assert.equal(lines[line], golden[line], message);
}
