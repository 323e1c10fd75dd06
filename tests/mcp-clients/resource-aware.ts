/** A client that follows the URIs in `_meta` with `resources/read`, and calls tools for everything else. */
import assert from "node:assert/strict";
import { contentLadderSchema, fieldWindowSchema } from "@rungs/evidence";
import { z } from "zod";
import { type Climber, Refused, type Step } from "../../testing/mcp/climber.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { createStructuredOnly } from "./structured-only.ts";

const link = z.object({ id: z.string(), uri: z.string() });
const metaSchema = z.looseObject({
  "dev.pdpp/resources": z.object({ records: z.array(link), field_windows: z.array(link.loose()) }),
});
const refusalSchema = z.looseObject({ uris: z.array(z.string()).default([]) });
const recordSchema = z.looseObject({ id: z.string(), text: z.string(), content_ladder: contentLadderSchema });

export function createResourceAware(client: McpClient): Climber {
  const tools = createStructuredOnly(client);
  const records = new Map<string, string>();

  const follow = async (uri: string): Promise<unknown> => {
    const { contents } = await client.readResource({ uri }).catch((error: Error & { data?: unknown }) => {
      const { uris } = refusalSchema.parse(error.data);
      for (const each of uris) assert.ok(error.message.split("\n").includes(`try: ${each}`));
      throw new Refused(
        error.message,
        uris.map((each) => ({ uri: each })),
      );
    });
    assert.equal(contents.length, 1);
    const [content] = contents;
    assert.ok(content && "text" in content);
    assert.equal(content.uri, uri);
    return JSON.parse(content.text);
  };

  return {
    async search(query) {
      const { _meta, isError } = await client.callTool({ name: "search", arguments: { query } });
      if (isError) return tools.search(query);
      const { records: linked, field_windows } = metaSchema.parse(_meta)["dev.pdpp/resources"];
      for (const { id, uri } of linked) records.set(id, uri);
      return Promise.all(
        field_windows.map(async ({ id, uri }) => {
          const { window } = fieldWindowSchema.parse(await follow(uri));
          return { id, evidence: window.text, open: { uri } };
        }),
      );
    },
    async read(step) {
      if (!("uri" in step)) return tools.read(step);
      const { record, window, resource } = fieldWindowSchema.parse(await follow(step.uri));
      const at = (uri: string | null | undefined): Step | undefined => (uri ? { uri } : undefined);
      assert.equal(resource?.uri, step.uri);
      return { id: record.id, ...window, next: at(resource.next_uri), previous: at(resource.previous_uri) };
    },
    async fetch(record) {
      const uri = typeof record === "string" ? records.get(record) : undefined;
      if (uri === undefined) return tools.fetch(record);
      const { id, text, content_ladder } = recordSchema.parse(await follow(uri));
      const steps = content_ladder.records.flatMap(({ fields }) =>
        fields.flatMap(({ next }) => (next ? [next] : [])),
      );
      return { id, seen: text, steps };
    },
    blob: (step) => tools.blob(step),
  };
}
