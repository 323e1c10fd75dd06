/** A client that shows both halves: it continues by the structured one, and checks that the text agrees. */
import assert from "node:assert/strict";
import type { Climber } from "../../testing/mcp/climber.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { createContentOnly } from "./content-only.ts";
import { createStructuredOnly } from "./structured-only.ts";

export function createStructuredAware(client: McpClient): Climber {
  const structured = createStructuredOnly(client);
  const text = createContentOnly(client);

  return {
    async search(query) {
      const found = await structured.search(query);
      const shown = await text.search(query);
      assert.deepEqual(
        shown.map(({ id, open }) => ({ id, open })),
        found.map(({ id, open }) => ({ id, open })),
      );
      for (const [at, { evidence }] of found.entries())
        assert.ok(stripMarks(shown[at]?.evidence ?? "").includes(stripMarks(evidence)));
      return found;
    },
    async read(step) {
      const [window, shown] = [await structured.read(step), await text.read(step)];
      const { text: body, start_chars, end_chars, complete } = window;
      assert.deepEqual(
        [shown.text, shown.start_chars, shown.end_chars, shown.complete],
        [body, start_chars, end_chars, complete],
      );
      return window;
    },
    async fetch(record) {
      const [fetched, shown] = [await structured.fetch(record), await text.fetch(record)];
      assert.deepEqual(shown.steps, fetched.steps);
      return fetched;
    },
    async blob(step) {
      const [blob, shown] = [await structured.blob(step), await text.blob(step)];
      assert.deepEqual(shown, blob);
      return blob;
    },
  };
}

/** Each half shows as much of a passage as fits: without marks, the shorter is a substring of the longer. */
function stripMarks(line: string): string {
  return line.replaceAll(/[⟦⟧…]/gu, "");
}
