/** Masks also cover a record's key, the label of its connection, and the keys in a token's details (R82). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listClientDetails, requireManifest } from "@rungs/contract";
import { putConnection } from "@rungs/server";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { connectApp } from "../../testing/mcp/connect.ts";
import { createWorld } from "../../testing/world.ts";

/** The key of a record is an address. */
const people = requireManifest({
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/people" },
  declaration_version: "1",
  display: { name: "People" },
  streams: [
    {
      name: "people",
      semantics: "mutable_state",
      primary_key: ["email"],
      query: { search: { lexical_fields: ["name"] } },
      schema: {
        type: "object",
        required: ["email"],
        properties: { email: { type: "string" }, name: { type: "string" } },
      },
    },
  ],
});
const JO = "jo@example.org";

for (const engine of ["sqlite", "postgres"])
  test(`R82 no key, label or detail contains a masked value (${engine})`, async (t) => {
    const world = await createWorld(engine);
    t.after(() => world.close());
    const { store, owner_id, clock } = world;
    const rate = { burst: 1e9, per_second: 1e9 };
    addMcp(world.app, store, { now: () => clock.now, rate });
    await putConnection({ store, owner_id, now: () => clock.now }, "book", people, `People: ${JO}`);
    await store.ingest(owner_id, "book", [
      {
        stream: "people",
        key: JO,
        data: { email: JO, name: "Jo Jansen" },
        emitted_at: "2026-05-01T00:00:00Z",
      },
    ]);
    const ask = async (resources: string[] | undefined, kinds: ("email" | "phone")[]) => {
      const streams = [{ name: "people", instance_ids: ["book"], fields: ["name"], resources }];
      const { token, grant } = await world.allow(streams, { source: people.source, masks: { kinds } });
      const answers = [JSON.stringify(listClientDetails(grant))];
      for (const path of [
        "/v1/streams",
        "/v1/connectors",
        "/v1/schema",
        "/v1/streams/people",
        "/v1/streams/people/records",
        "/v1/search?q=jansen&facets=true",
        "/v1/streams/people/aggregate?metric=count",
        "/v1/export",
      ]) {
        const answer = await world.ask(path, token);
        assert.equal(answer.status, 200, path);
        answers.push(await answer.text());
      }
      const client = await connectApp(world.app, token);
      answers.push(
        JSON.stringify(await client.callTool({ name: "search", arguments: { query: "jansen" } })),
        JSON.stringify(await client.callTool({ name: "schema", arguments: {} })),
        JSON.stringify(await client.listResources()),
      );
      await client.close();
      return answers;
    };
    for (const resources of [undefined, [JO]])
      for (const answer of await ask(resources, ["email"])) assert.ok(!answer.includes(JO), answer);
    const plain = await ask(undefined, ["phone"]);
    assert.ok(
      plain.some((answer) => answer.includes(`People: ${JO}`)),
      "a label without a masked value stays",
    );
  });
