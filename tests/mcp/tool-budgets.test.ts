/** Every tool stays within the bytes that all hosts show, whatever the data: wide, dense, or under long keys (R14, R31). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { READ_NAMES, type ReadName, type RecordEnvelope } from "@rungs/contract";
import { type Continuation, formatFieldPath, formatRecordId, sliceChars } from "@rungs/evidence";
import { createNote } from "../../testing/library.ts";
import {
  type Answer,
  ask,
  assertWithinBudget,
  callsInStructured,
  callsInText,
  keyOf,
} from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { addWideStream, listNames } from "../../testing/wide.ts";
import { chunk, type Json, type World } from "../../testing/world.ts";

/** A kind of data: how its records are keyed and filled, and which further fields they have. */
interface Kind {
  readonly key: (at: number) => string;
  readonly text: (at: number) => string;
  readonly names: readonly string[];
}

const plain = (at: number) => `Note ${at} of the harbour, the boat and the window. `;
const kinds: Readonly<Record<string, Kind>> = {
  wide: {
    key: (at) => `w${at}`,
    text: (at) => plain(at).repeat(12),
    names: listNames(120, "a_field_with_a_rather_long_name_as_spreadsheets_have_them"),
  },
  cjk: {
    key: (at) => `項目${at}`,
    text: (at) => `第${at}項 春のうららの隅田川のぼりくだりの船人が。`.repeat(40),
    names: listNames(12, "項目の長い名前"),
  },
  escapes: {
    key: (at) => `e"\\👩‍👩‍👧‍👦${at}`,
    text: (at) => `${at}\u0001\u0002\u001b"\\\t\n\u2028👩‍👩‍👧‍👦🏳️‍🌈`.repeat(50),
    names: listNames(12, 'quoted "\\ name 🏳️‍🌈'),
  },
  long_keys: {
    key: (at) => `${at}${"鍵".repeat(497)}`,
    text: (at) => `第${at}項 春のうららの隅田川。`.repeat(60),
    names: listNames(12),
  },
};
const RECORDS = 16;
const WORD = "everywhere";

/** The names that the calls of a kind use. */
interface Names {
  readonly id: string;
  readonly stream: string;
  readonly connection_id: string;
  readonly field: string;
  readonly blob_id: string;
}

type Args = Readonly<Record<string, string | number | boolean | string[]>>;

/** The calls of each tool, with default sizes. */
const CALLS: Readonly<Record<ReadName, (names: Names) => readonly Args[]>> = {
  schema: ({ stream }) => [{}, { stream }],
  search: () => [{ query: WORD }, { query: WORD, folded: false }, { query: WORD, limit: 50 }],
  fetch: ({ id, field }) => [{ id }, { id, fields: [field] }],
  read_record_field: ({ id, field }) => [
    { id, field_path: formatFieldPath([field]) },
    { id, field_path: "body", q: WORD },
  ],
  read_thread: ({ id }) => [{ id }, { id, before: 20, after: 20 }],
  query_records: ({ stream, field }) => [{ stream }, { stream, fields: [field] }, { stream, limit: 100 }],
  aggregate: ({ stream, field }) => [
    { stream, metric: "count" },
    { stream, metric: "count", group_by: field },
    { stream, metric: "count", group_by: field, limit: 100 },
    { stream, metric: "max", field, group_by: "id" },
  ],
  read_blob: ({ blob_id }) => [{ blob_id }, { blob_id, as: "text" }, { blob_id, as: "base64" }],
  export_link: () => [{}],
};
/** How many of the calls in an answer to follow. */
const FOLLOWED = 3;

describe("budgets", () => {
  let served: ServedWorld;
  const filled = new Map<string, Names & { readonly client: McpClient }>();
  before(async () => {
    served = await serveWorld("sqlite");
    for (const [kind, data] of Object.entries(kinds)) {
      const { token, ...names } = await fill(served.world, kind, data);
      filled.set(kind, { ...names, client: await connectApp(served.world.app, token) });
    }
  });
  after(async () => {
    for (const { client } of filled.values()) await client.close();
    await served?.close();
  });

  for (const kind of Object.keys(kinds)) {
    for (const operation of READ_NAMES) {
      test(`R14 R31 ${operation} on ${kind} data fits every host, and so do the calls that it shows`, async () => {
        const names = filled.get(kind)!;
        const check = async (call: Continuation): Promise<Answer> => {
          const answer = await ask(names.client, call);
          assertWithinBudget(
            answer,
            `${call.operation} ${JSON.stringify(call.args).slice(0, 200)}`,
            names.id,
          );
          return answer;
        };
        for (const args of CALLS[operation](names)) {
          const answer = await check({ operation, args });
          const shown = [...callsInText(answer.text), ...callsInStructured(answer.structured)];
          const distinct = new Map(shown.map((call) => [keyOf(call), call]));
          for (const call of [...distinct.values()].slice(0, FOLLOWED)) await check(call);
        }
      });
    }
  }
});

test("R33 the file of a record with many fields leads to its bytes, like that of a small record", async (t) => {
  const served = await serveWorld("sqlite");
  t.after(() => served.close());
  const { token, id, blob_id } = await fill(served.world, "wide", kinds.wide!);
  const client = await connectApp(served.world.app, token);
  t.after(() => client.close());
  const { structured } = await ask(client, {
    operation: "fetch",
    args: { id, fields: ["file", ...kinds.wide!.names] },
  });
  const { fields } = (structured as { content_ladder: { records: { fields: Json[] }[] } }).content_ladder
    .records[0]!;
  assert.deepEqual(fields.find(({ path }) => path === "file")?.next, {
    operation: "read_blob",
    args: { blob_id },
  });
});

test("R15 a hit under a key of 500 CJK characters keeps the envelope", async (t) => {
  const served = await serveWorld("sqlite");
  t.after(() => served.close());
  const { store, owner_id, app, client: token } = served.world;
  await store.ingest(owner_id, "home", [createNote("鍵".repeat(500), { title: "one", body: "longuniid" })]);
  const client = await connectApp(app, token);
  t.after(() => client.close());
  const { structured } = await ask(client, { operation: "search", args: { query: "longuniid" } });
  assert.equal(structured.left_out, undefined);
  assert.equal((structured.data as Json).data.length, 1);
});

/** Adds a connection with records of the kind, a thread of them and a file. */
async function fill(world: World, connection_id: string, { key, text, names }: Kind) {
  const [stream, field] = ["sheets", names[0] ?? ""];
  const properties = {
    title: { type: "string", x_pdpp_role: "primary-title" },
    body: { type: "string", x_pdpp_role: "body" },
    written_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
    topic: { type: "string", x_pdpp_role: "thread" },
    file: { type: "object", properties: { blob_id: { type: "string" } } },
    ...Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  };
  const query = { search: { lexical_fields: ["title", "body"] } };
  const token = await addWideStream(world, { connection_id, stream, properties, records: {}, query });
  const { store, owner_id } = world;
  const bytes = chunk(text(0).repeat(20));
  const { blob_id, mime_type, size_bytes, sha256 } = await store.putBlob(
    owner_id,
    connection_id,
    bytes,
    "text/plain",
  );
  const file = { blob_id, mime_type, size_bytes, sha256, filename: sliceChars(text(1), 0, 200) };
  const outcomes = await store.ingest(
    owner_id,
    connection_id,
    Array.from({ length: RECORDS }, (_, at): RecordEnvelope => {
      const values = names.map((name, field_at) => [name, text(at * 1000 + field_at)]);
      const written_at = new Date(Date.UTC(2026, 0, 1 + at)).toISOString();
      const own = {
        title: sliceChars(text(at), 0, 300),
        body: `${text(at)} ${WORD} ${text(at)}`,
        topic: sliceChars(text(0), 0, 200),
        written_at,
      };
      return {
        stream,
        key: key(at),
        emitted_at: written_at,
        data: { id: key(at), ...own, file, ...Object.fromEntries(values) },
      };
    }),
  );
  assert.deepEqual(
    outcomes.filter(({ status }) => status !== "added"),
    [],
  );
  const id = formatRecordId({ connection_id, stream, record_id: key(0) });
  return { token, id, stream, connection_id, field, blob_id };
}
