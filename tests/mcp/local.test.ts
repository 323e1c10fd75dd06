/** `rungs mcp` on the database itself, with no server running: the same token, the same answers. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import { createGrant, createOwnerToken, ensureOwner, putConnection, revokeGrant } from "@rungs/server";
import type { Store } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { library } from "../../testing/library.ts";
import { ask, askRefused } from "../../testing/mcp/answers.ts";
import { startStdio } from "../../testing/mcp/connect.ts";
import { createTestDatabase } from "../../testing/postgres.ts";

interface Database {
  readonly url: string;
  open(): Promise<Store>;
  drop(): Promise<void>;
}

const databases: Readonly<Record<string, () => Promise<Database>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "rungs-mcp-"));
    const url = join(folder, "rungs.db");
    return { url, open: () => openSqlite(url), drop: async () => rmSync(folder, { recursive: true }) };
  },
  async postgres() {
    const { url, drop } = await createTestDatabase();
    return { url, open: () => openPostgres(url), drop };
  },
};

for (const [engine, create] of Object.entries(databases)) {
  test(`R50 R52 rungs mcp in process on ${engine} reads under its token until the grant is revoked`, async (t) => {
    const database = await create();
    const store = await database.open();
    try {
      const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
      await putConnection(parts, "home", library, "Home");
      const data = { id: "n1", title: "One", body: "a cherry", secret: "hidden cherry" };
      await store.ingest(parts.owner_id, "home", [
        { stream: "notes", key: "n1", emitted_at: "2026-05-01T00:00:00Z", data },
      ]);
      const stream = { name: "notes", instance_ids: ["home"], fields: ["id", "title", "body"] };
      const purpose = {
        purpose_code: "https://pdpp.dev/purpose/assistance",
        access_mode: "continuous" as const,
      };
      const details = [
        {
          type: DATA_ACCESS_TYPE as typeof DATA_ACCESS_TYPE,
          source: library.source,
          ...purpose,
          streams: [stream],
        },
      ];
      const { token, grant } = await createGrant(parts, {
        client: { client_id: "agent" },
        expires_at_ms: undefined,
        details,
      });
      const client = await startStdio({ RUNGS_DATABASE: database.url, RUNGS_TOKEN: token });
      t.after(() => client.close());
      const { structured } = await ask(client, { operation: "search", args: { query: "cherry" } });
      assert.deepEqual(
        (structured.results as { id: string }[]).map(({ id }) => id),
        ["home/notes:n1"],
      );
      assert.doesNotMatch(JSON.stringify(structured), /hidden/);
      assert.doesNotMatch(
        JSON.stringify(structured),
        /"url":"http|127\.0\.0\.1|localhost/,
        "no server needs to be running",
      );
      const secret = { operation: "read_record_field", args: { id: "home/notes:n1", field_path: "secret" } };
      assert.equal((await askRefused(client, secret)).error.code, "field_not_granted");
      await revokeGrant(parts, grant.grant_id);
      const after = await askRefused(client, { operation: "search", args: { query: "cherry" } });
      assert.equal(after.error.code, "grant_revoked");
      await client.close();
      const owner = await createOwnerToken(parts);
      await assert.rejects(startStdio({ RUNGS_DATABASE: database.url, RUNGS_TOKEN: owner }));
    } finally {
      await store.close();
      await database.drop();
    }
  });
}
