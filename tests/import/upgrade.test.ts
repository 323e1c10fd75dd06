/** Data imported under an older manifest, and again under the current one. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { describeStream, type Manifest, ownerScope } from "@rungs/contract";
import { openFiles, requireImporter, withSourceId } from "@rungs/importers";
import { importItems, putConnection } from "@rungs/server";
import { testOnEachEngine } from "../../testing/engines.ts";
import { digestContents } from "./digest.ts";

/** The manifests of version 1, as they were written into databases. */
const old: Readonly<Record<string, Manifest>> = JSON.parse(
  readFileSync(new URL("manifests-1.json", import.meta.url), "utf8"),
);

const mail = (id: string, more: string) =>
  `From - Mon Jun  3 12:50:27 1996\nMessage-ID: <${id}@x>\nFrom: Ann <ann@x>\nSubject: Ships\n${more}\nbody\n\n`;
const node = (id: string, parent: string | null) => ({
  id,
  parent,
  message: { id, author: { role: "user" }, content: { content_type: "text", parts: ["Hello"] } },
});
const json = (value: unknown) => JSON.stringify(value);

interface Sample {
  readonly files: Readonly<Record<string, string>>;
  /** The messages of each thread. */
  readonly threads: Readonly<Record<string, number>>;
  /** A searched field, filterable since version 2. */
  readonly filter: { readonly field: string; readonly value: string; readonly count: number };
}

const samples: Readonly<Record<string, Sample>> = {
  mail: {
    files: {
      "a.mbox": `${mail("1", "")}${mail("2", "References: <1@x> <9@x>\n")}${mail("3", "In-Reply-To: <1@x>\n")}${mail("4", "")}`,
    },
    threads: { "1@x": 3, "4@x": 1 },
    filter: { field: "from", value: "Ann <ann@x>", count: 4 },
  },
  slack: {
    files: {
      "users.json": json([{ id: "U1", name: "ada" }]),
      "channels.json": json([{ id: "C1", name: "pottery" }]),
      "pottery/2023-11-14.json": json([
        { user: "U1", ts: "1.0", text: "alone" },
        { user: "U1", ts: "2.0", thread_ts: "2.0", text: "root" },
        { user: "U1", ts: "3.0", thread_ts: "2.0", text: "reply" },
      ]),
    },
    threads: { C1: 1, "C1~2.0": 2 },
    filter: { field: "user", value: "ada", count: 3 },
  },
  whatsapp: {
    files: {
      "WhatsApp Chat with Bob.txt": "13/05/2024, 09:00 - Bob: hi\n13/05/2024, 09:01 - Ada: ho\n",
    },
    threads: { Bob: 2 },
    filter: { field: "sender", value: "Ada", count: 1 },
  },
  telegram: {
    files: {
      "result.json": json({
        name: "Boat club",
        type: "private_group",
        id: 7,
        messages: [{ id: 1, type: "message", date_unixtime: "1714550460", from: "Bob", text: "hi" }],
      }),
    },
    threads: { "7": 1 },
    filter: { field: "sender", value: "Bob", count: 1 },
  },
  chatgpt: {
    files: {
      "conversations.json": json([
        { id: "c1", title: "Bread", mapping: { a: node("a", null), b: node("b", "a") } },
      ]),
    },
    threads: { c1: 2 },
    filter: { field: "conversation", value: "Bread", count: 2 },
  },
  claude: {
    files: {
      "conversations.json": json([
        { uuid: "c2", name: "Garden", chat_messages: [{ uuid: "m1", sender: "human", text: "hi" }] },
      ]),
    },
    threads: { c2: 1 },
    filter: { field: "conversation", value: "Garden", count: 1 },
  },
};

const folder = mkdtempSync(join(tmpdir(), "rungs-upgrade-"));
after(() => rmSync(folder, { recursive: true }));

for (const [id, { files, threads, filter }] of Object.entries(samples)) {
  testOnEachEngine(
    `${id} imported under version 1 is imported again under the current`,
    async ({ store }) => {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, id, path)), { recursive: true });
        writeFileSync(join(folder, id, path), content);
      }
      const opened = await openFiles(join(folder, id));
      const importer = requireImporter(id);
      const context = { store, owner_id: "me", now: Date.now };
      const target = { ...context, connection_id: "c", identity: "files" };
      const read = (resume: string | undefined) =>
        importer.read({
          files: opened,
          resume,
          putBlob: () => Promise.reject(new Error("there are no blobs")),
          extractText: () => Promise.reject(new Error("there are no documents")),
          note: () => undefined,
        });
      await store.putOwner("me");
      await putConnection(context, "c", old[id]!, undefined);
      const first = await importItems(read, target);
      const before = await digestContents(store);

      const current = withSourceId(importer.manifest, old[id]?.source.id);
      assert.equal(current.source.id, old[id]?.source.id);
      await putConnection(context, "c", current, undefined);
      const { tally } = await importItems(read, target);
      assert.deepEqual(
        [tally.added, tally.changed, tally.unchanged, tally.rejected],
        [0, 0, first.tally.added, 0],
      );
      assert.deepEqual(await digestContents(store), before);

      const scope = ownerScope("me", [{ connection_id: "c", manifest: current }]);
      const request = { connection_id: "c", stream: "messages", order: "asc", limit: 100 } as const;
      const { records } = await store.listRecords(scope, request);
      const fields = describeStream(current.streams.find(({ name }) => name === "messages")!).fields;
      const roles = fields.filter(({ role }) => role === "thread");
      assert.ok(roles.length > 0 && roles.every(({ filterable }) => filterable));
      const values = records.map(({ data }) =>
        roles.map(({ name }) => data[name]).find((value) => value != null),
      );
      const counts = Map.groupBy(values, String);
      assert.deepEqual(
        Object.fromEntries([...counts].map(([value, { length }]) => [value, length])),
        threads,
      );
      const { field, value, count } = filter;
      const filtered = await store.listRecords(scope, { ...request, filters: [{ field, op: "=", value }] });
      assert.equal(filtered.records.length, count);
    },
  );
}
