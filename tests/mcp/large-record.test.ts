/** A record with more long fields than fit: none is lost, none is cut silently. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATA_ACCESS_TYPE, type Manifest, requireManifest } from "@rungs/contract";
import { type Continuation, contentLadderSchema } from "@rungs/evidence";
import { createGrant, putConnection } from "@rungs/server";
import { ask, assertWithinBudget, callsInStructured, callsInText } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

const FIELDS = Array.from({ length: 45 }, (_, at) => `field_${at}`);
const ID = "wide/sheets:one";

const manifest: Manifest = requireManifest({
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/wide" },
  declaration_version: "1",
  display: { name: "Wide" },
  streams: [
    {
      name: "sheets",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: Object.fromEntries(["id", ...FIELDS].map((name) => [name, { type: "string" }])),
      },
    },
  ],
});

describe("a large record", () => {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { store, owner_id, clock, app } = served.world;
    const parts = { store, owner_id, now: () => clock.now };
    await putConnection(parts, "wide", manifest, "Wide");
    const data = Object.fromEntries(FIELDS.map((name) => [name, `${name} ${"é ".repeat(3_000)}`]));
    const emitted_at = "2026-05-01T00:00:00Z";
    await store.ingest(owner_id, "wide", [
      { stream: "sheets", key: "one", emitted_at, data: { id: "one", ...data } },
    ]);
    const detail = {
      type: DATA_ACCESS_TYPE,
      source: manifest.source,
      purpose_code: "https://pdpp.dev/purpose/assistance",
      access_mode: "continuous" as const,
      streams: [{ name: "sheets", instance_ids: ["wide"], fields: ["id", ...FIELDS] }],
    } as const;
    const details: Parameters<typeof createGrant>[1]["details"] = [
      {
        ...detail,
        streams: detail.streams.map(({ name, instance_ids, fields }) => ({
          name,
          instance_ids: [...instance_ids],
          fields: [...fields],
        })),
      },
    ];
    const { token } = await createGrant(parts, {
      client: { client_id: "agent" },
      expires_at_ms: undefined,
      details,
    });
    client = await connectApp(app, token);
  });
  after(async () => {
    await client?.close();
    await served?.close();
  });

  for (const [half, list] of Object.entries({
    text: ({ text }: Awaited<ReturnType<typeof ask>>) => callsInText(text),
    structured: ({ structured }: Awaited<ReturnType<typeof ask>>) =>
      callsInStructured(contentLadderSchema.parse(structured.content_ladder)),
  })) {
    test(`R31 R37 the ${half} half leads to every field, each answer within budget`, async () => {
      const reached = new Set<string>();
      const seen = new Set<string>();
      const waiting: Continuation[] = [{ operation: "fetch", args: { id: ID } }];
      for (let call = waiting.shift(); call; call = waiting.shift()) {
        if (call.operation === "read_record_field") reached.add(String(call.args.field_path));
        if (call.operation !== "fetch" || seen.has(JSON.stringify(call.args))) continue;
        seen.add(JSON.stringify(call.args));
        const answer = await ask(client, call);
        assertWithinBudget(answer, JSON.stringify(call.args).slice(0, 100));
        waiting.push(...list(answer));
      }
      assert.deepEqual([...reached].toSorted(), FIELDS.toSorted());
    });
  }

  test("R35 a list shows the record within budget, and its next step shows it all", async () => {
    const answer = await ask(client, { operation: "query_records", args: { stream: "sheets" } });
    assertWithinBudget(answer, "list");
    assert.ok(answer.text.startsWith(`${ID}\n`));
    const calls = callsInText(answer.text).map((call) => JSON.stringify(call));
    assert.ok(calls.includes(JSON.stringify({ operation: "fetch", args: { id: ID } })));
  });
});
