/** The lines of a watched stream as they arrive. */
import assert from "node:assert/strict";
import { until } from "../until.ts";
import type { Json } from "../world.ts";

/** Reads the lines of an answer until it ends. */
export async function collectLines(answer: Response) {
  assert.equal(answer.status, 200);
  const lines: Json[] = [];
  const closed = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const complete = text.split("\n");
      text = complete.pop() ?? "";
      lines.push(...complete.filter((line) => line !== "").map((line) => JSON.parse(line)));
    }
    return "ended" as const;
  })().catch(() => "broken" as const);
  return { lines, closed, untilLines: (count: number) => until(() => lines.length >= count) };
}
