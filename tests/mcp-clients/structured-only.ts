/** A client that shows its model only `structuredContent`, and the text of an error. */
import assert from "node:assert/strict";
import { contentLadderSchema, fieldWindowSchema } from "@rungs/evidence";
import { z } from "zod";
import type { Climber, Step } from "../../testing/mcp/climber.ts";
import { throwRefused } from "../../testing/mcp/read-text.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";

const resultSchema = z.looseObject({
  id: z.string(),
  evidence_preview: z.string(),
  evidence_field_path: z.string(),
});
const searchSchema = z.looseObject({ results: z.array(resultSchema), content_ladder: contentLadderSchema });
const fetchSchema = z.looseObject({ id: z.string(), text: z.string(), content_ladder: contentLadderSchema });
const blobSchema = z.looseObject({ text: z.string().optional(), next: z.custom<Step>().optional() });

export function createStructuredOnly(client: McpClient): Climber {
  const see = async (step: Step): Promise<unknown> => {
    assert.ok("operation" in step);
    const { content, structuredContent, isError } = await client.callTool({
      name: step.operation,
      arguments: step.args,
    });
    if (isError) return throwRefused(content[0]?.type === "text" ? content[0].text : "");
    return structuredContent;
  };

  return {
    async search(query) {
      const { results, content_ladder } = searchSchema.parse(
        await see({ operation: "search", args: { query } }),
      );
      return results.map(({ id, evidence_preview, evidence_field_path }, at) => {
        const rung = content_ladder.records[at];
        assert.equal(rung?.id, id);
        assert.equal(rung.evidence_preview, evidence_preview);
        // A field shown whole has no call: its record and its name are still there.
        const whole: Step = { operation: "read_record_field", args: { id, field_path: evidence_field_path } };
        return { id, evidence: evidence_preview, open: rung.fields[0]?.next ?? whole };
      });
    },
    async read(step) {
      const { record, field, window } = fieldWindowSchema.parse(await see(step));
      const at = (cursor: string | null | undefined): Step | undefined =>
        cursor
          ? { operation: "read_record_field", args: { id: record.id, field_path: field.path, cursor } }
          : undefined;
      return { id: record.id, ...window, next: at(window.next_cursor), previous: at(window.previous_cursor) };
    },
    async fetch(record) {
      const seen = await see(
        typeof record === "string" ? { operation: "fetch", args: { id: record } } : record,
      );
      const { id, text, content_ladder } = fetchSchema.parse(seen);
      const steps = content_ladder.records.flatMap(({ fields }) =>
        fields.flatMap(({ next }) => (next ? [next] : [])),
      );
      return { id, seen: text, steps };
    },
    async blob(step) {
      const { text, next } = blobSchema.parse(await see(step));
      return { text, next };
    },
  };
}
