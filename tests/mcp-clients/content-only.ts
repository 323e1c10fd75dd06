/** A client that shows its model only the text. */
import assert from "node:assert/strict";
import type { Continuation } from "@rungs/evidence";
import type { Climber, Step } from "../../testing/mcp/climber.ts";
import { findCall, findCalls, readFenced, stripFences, throwRefused } from "../../testing/mcp/read-text.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";

export function createContentOnly(client: McpClient): Climber {
  const see = async (step: Step): Promise<string> => {
    assert.ok("operation" in step);
    const { content, isError } = await client.callTool({ name: step.operation, arguments: step.args });
    // Only the description of a blob has a link besides its text.
    const isLinked = !isError && step.operation === "read_blob" && step.args.as === undefined;
    assert.deepEqual(
      content.map(({ type }) => type),
      isLinked ? ["text", "resource_link"] : ["text"],
    );
    const text = content[0]?.type === "text" ? content[0].text : "";
    return isError ? throwRefused(text) : text;
  };

  return {
    async search(query) {
      const text = await see({ operation: "search", args: { query } });
      const blocks = text.split("\n\n").slice(0, -1);
      return blocks.map((block) => {
        const [id = "", evidence = ""] = block.split("\n");
        return { id, evidence, open: findCall(block, "read") ?? readWhole(id, evidence) };
      });
    },
    async read(step) {
      const text = await see(step);
      const { id, start_chars, end_chars, complete } = JSON.parse(text.split("\n", 1)[0] ?? "");
      const next = findCall(text, "next");
      const previous = findCall(text, "previous");
      return { id, text: readFenced(text), start_chars, end_chars, complete, next, previous };
    },
    async fetch(record) {
      const text = await see(
        typeof record === "string" ? { operation: "fetch", args: { id: record } } : record,
      );
      const [id = ""] = stripFences(text).split("\n");
      return { id, seen: text, steps: findCalls(text, "read on") };
    },
    async blob(step) {
      const text = await see(step);
      const lines = text.split("\n").filter((line) => line.startsWith("| "));
      const shown = lines.map((line) => JSON.parse(line.slice(2))).join("\n");
      return { text: lines.length === 0 ? undefined : shown, next: findCall(text, "next") };
    },
  };
}

/** A field shown whole has no call: its record and its name are still visible. */
function readWhole(id: string, evidence: string): Continuation {
  const field_path = /^ {2}([^\s:]+): /.exec(evidence)?.[1] ?? "";
  return { operation: "read_record_field", args: { id, field_path } };
}
