/** A record leads to its files and a file to its record, in both halves; hosts find both as resources. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATA_ACCESS_TYPE, requireManifest } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import { importers } from "@rungs/importers";
import { createGrant, putConnection } from "@rungs/server";
import { type Answer, ask, callsInStructured, callsInText } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { chunk, type World } from "../../testing/world.ts";

const mail = importers.find(({ id }) => id === "mail");
const MESSAGE = "mailbox/messages:m 1 é%";
const PDF = "%PDF-1.4 not really";
const PIXEL = Buffer.from("89504e470d0a1a0a0000", "hex").toString("latin1");

describe("files of a mail", () => {
  let served: ServedWorld;
  let client: McpClient;
  let narrow: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { app, store, owner_id, clock } = served.world;
    const parts = { store, owner_id, now: () => clock.now };
    assert.ok(mail);
    await putConnection(parts, "mailbox", mail.manifest, "Mailbox");
    const emitted_at = "2026-05-01T00:00:00Z";
    const file = async (id: string, text: string, mime_type: string) => {
      const { blob_id, size_bytes, sha256 } = await store.putBlob(
        owner_id,
        "mailbox",
        chunk(text),
        mime_type,
      );
      const blob = { blob_id, mime_type, size_bytes, sha256 };
      const data = {
        id,
        message_record_id: "m 1 é%",
        file_name: id,
        mime_type,
        size_bytes,
        file: blob,
        text: `text of ${id}`,
      };
      return { stream: "attachments", key: id, emitted_at, data };
    };
    await store.ingest(owner_id, "mailbox", [
      {
        stream: "messages",
        key: "m 1 é%",
        emitted_at,
        data: { id: "m 1 é%", subject: "Three files", attachment_count: 2 },
      },
      { stream: "messages", key: "m2", emitted_at, data: { id: "m2", subject: "None" } },
      await file("report.pdf", PDF, "application/pdf"),
      await file("pixel.png", PIXEL, "image/png"),
    ]);
    const allow = async (names: string[]) => {
      const streams = names.map((name) => ({ name, instance_ids: ["mailbox"] }));
      const source = mail.manifest.source;
      const purpose_code = "https://pdpp.dev/purpose/assistance";
      const detail = {
        type: DATA_ACCESS_TYPE as typeof DATA_ACCESS_TYPE,
        source,
        purpose_code,
        access_mode: "continuous" as const,
        streams,
      };
      const { token } = await createGrant(parts, { client: { client_id: "agent" }, details: [detail] });
      return connectApp(app, token);
    };
    client = await allow(["messages", "attachments"]);
    narrow = await allow(["messages"]);
  });
  after(async () => {
    await client?.close();
    await narrow?.close();
    await served?.close();
  });

  const fetchOf = (id: string): Continuation => ({ operation: "fetch", args: { id } });
  const bothOffer = ({ text, structured }: Answer, call: Continuation) => {
    for (const calls of [callsInText(text), callsInStructured(structured)])
      assert.ok(
        calls.some((each) => JSON.stringify(each) === JSON.stringify(call)),
        text,
      );
  };

  test("a message leads to its attachments, an attachment to its message, in both halves", async () => {
    const list = {
      operation: "query_records",
      args: { stream: "attachments", connection_id: "mailbox", filter: ["message_record_id=m 1 é%"] },
    };
    bothOffer(await ask(client, fetchOf(MESSAGE)), list);
    const { text } = await ask(client, list);
    assert.match(text, /mailbox\/attachments:report\.pdf/);
    bothOffer(await ask(client, fetchOf("mailbox/attachments:report.pdf")), fetchOf(MESSAGE));
  });

  test("R17 R51 a message without attachments, or a grant without them, offers no such call", async () => {
    for (const [who, id] of [
      [client, "mailbox/messages:m2"],
      [narrow, MESSAGE],
    ] as const) {
      const { text, structured } = await ask(who, fetchOf(id));
      assert.doesNotMatch(text + JSON.stringify(structured), /"attachments"|attachments:/);
    }
  });

  test("R33 a file leads to its record, and no answer offers its own call", async () => {
    const page = await ask(client, { operation: "query_records", args: { stream: "attachments" } });
    const reads = callsInStructured(page.structured).filter(({ operation }) => operation === "read_blob");
    assert.equal(reads.length, 2);
    for (const first of reads) {
      const seen = new Set<string>();
      for (let call: Continuation | undefined = first; call?.operation === "read_blob"; ) {
        assert.ok(!seen.has(JSON.stringify(call)), JSON.stringify(call));
        seen.add(JSON.stringify(call));
        const answer = await ask(client, call);
        const record = (answer.structured.record as Continuation).args.id as string;
        bothOffer(answer, fetchOf(record));
        assert.match(record, /^mailbox\/attachments:/);
        call = answer.structured.next as Continuation | undefined;
      }
      assert.ok(seen.size > 1);
    }
  });

  test("R42 the description of a file has a link that hosts read; small reads have none", async () => {
    const page = await ask(client, { operation: "query_records", args: { stream: "attachments" } });
    const [call] = callsInStructured(page.structured).filter(({ operation }) => operation === "read_blob");
    const { content } = await client.callTool({ name: "read_blob", arguments: call?.args ?? {} });
    const link = content.find(({ type }) => type === "resource_link") as { uri: string };
    const [read] = (await client.readResource({ uri: link.uri })).contents;
    const bytes = Buffer.from(read && "blob" in read ? read.blob : "", "base64").toString("latin1");
    assert.ok([PDF, Buffer.from(PIXEL).toString("latin1")].includes(bytes));
    await assert.rejects(narrow.readResource({ uri: link.uri }));
    for (const { operation, args } of [fetchOf(MESSAGE), { operation: "search", args: { query: "files" } }]) {
      const answer = await client.callTool({ name: operation, arguments: args });
      assert.equal(answer.content.length, 1);
    }
  });

  test("R40 hosts list the granted streams and recent records, and every URI listed reads", async () => {
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith("pdpp:"));
    assert.ok(uris.includes("pdpp://stream/mailbox/attachments"));
    assert.equal(uris.filter((uri) => uri.startsWith("pdpp://record/")).length, 4);
    for (const uri of uris) assert.equal((await client.readResource({ uri })).contents.length, 1);
    const seen = (await narrow.listResources()).resources.map(({ uri }) => uri).join("\n");
    assert.doesNotMatch(seen, /attachments/);
  });

  test("R40 a long list is paginated without gaps: every granted stream and its newest records, once", async (t) => {
    const streams = Array.from({ length: 120 }, (_, at) => `sheet_${String(at).padStart(3, "0")}`);
    const many = await connectApp(served.world.app, await addStreams(served.world, streams));
    t.after(() => many.close());
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await many.listResources({ cursor });
      assert.ok(JSON.stringify(page).length < 40_000);
      seen.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor);
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(
      seen.filter((uri) => uri.startsWith("pdpp://stream/")).toSorted(),
      streams.map((name) => `pdpp://stream/many/${name}`),
    );
    assert.equal(seen.filter((uri) => uri.startsWith("pdpp://record/")).length, streams.length);
    await assert.rejects(many.listResources({ cursor: "page-x" }), /without a cursor/);
  });

  test("R07 a record URI takes the id as answers show it, plain or percent-encoded", async () => {
    const plain = "mailbox/messages:m2";
    for (const [id, uri] of [
      [plain, `pdpp://record/${plain}`],
      [plain, `pdpp://record/${encodeURIComponent(plain)}`],
      [MESSAGE, `pdpp://record/${encodeURIComponent(MESSAGE)}`],
    ] as const) {
      const [content] = (await client.readResource({ uri })).contents;
      assert.equal(JSON.parse(content && "text" in content ? content.text : "{}").id, id, uri);
    }
    await assert.rejects(narrow.readResource({ uri: "pdpp://record/mailbox/attachments:report.pdf" }));
  });
});

/** Adds the connection `many` with a record in each stream, and returns the token of a grant over all of it. */
async function addStreams(
  { store, owner_id, clock, allow }: World,
  names: readonly string[],
): Promise<string> {
  const schema = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
  const manifest = requireManifest({
    protocol_version: "0.1.0",
    source: { kind: "connector", id: "https://rungs.example/connectors/many" },
    declaration_version: "1",
    display: { name: "many" },
    streams: names.map((name) => ({ name, semantics: "mutable_state", primary_key: ["id"], schema })),
  });
  await putConnection({ store, owner_id, now: () => clock.now }, "many", manifest, "many");
  const emitted_at = "2026-05-01T00:00:00Z";
  await store.ingest(
    owner_id,
    "many",
    names.map((stream) => ({ stream, key: "one", emitted_at, data: { id: "one" } })),
  );
  const streams = names.map((name) => ({ name, instance_ids: ["many"], fields: ["id"] }));
  return (await allow(streams, { source: manifest.source })).token;
}
