/** Exports that the owner puts in a watched folder. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createMessages } from "../../testing/files/mbox.ts";
import { createZip } from "../../testing/files/zip.ts";

/** A folder, with the program and a sync of it. */
async function watch(t: TestContext, ...options: string[]) {
  const place = mkdtempSync(join(tmpdir(), "rungs-exports-"));
  t.after(() => rmSync(place, { recursive: true }));
  const folder = join(place, "Papers");
  mkdirSync(folder);
  const rungs = (...argv: string[]) => rungsHere(argv, { RUNGS_HOME: join(place, "home") });
  await rungs("sync", "add", "folder", folder, "--id", "papers", ...options);
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  return {
    folder,
    write,
    sync: async () => (await rungs("sync", "run", "papers")).out,
    log: async () => (await rungs("sync", "log", "papers")).out,
    imports: async () => JSON.parse((await rungs("imports", "--json")).out).imports.length as number,
    /** How many records each connection has. */
    async count(): Promise<Record<string, number>> {
      const { connections } = JSON.parse((await rungs("connections", "--json")).out);
      return Object.fromEntries(
        connections.map(({ connection_id, streams }: Connection) => [
          connection_id,
          streams.reduce((sum, { record_count }) => sum + record_count, 0),
        ]),
      );
    },
  };
}

interface Connection {
  readonly connection_id: string;
  readonly streams: readonly { readonly record_count: number }[];
}

const mail = (count: number, seed = 1) => createMessages(seed).take(count).toArray().join("");
const calendar = (uid: string) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20230102T100000Z\r\nSUMMARY:Quince day\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

test("R76 exports in a watched folder are imported once, each into its own connection, and documents stay documents", async (t) => {
  const { write, sync, log, count, imports } = await watch(t);
  write("note.md", "# Quince\nA note beside the exports.");
  write("old.mbox", mail(4));
  write("2019/old.mbox", mail(3, 2));
  write("dates.ics", calendar("a@x"));
  write("messages/1.eml", mail(1, 3).replace(/^From .*\n/, ""));
  write("messages/2.eml", mail(2, 4).split(/^From .*\n/m)[2] ?? "");
  write("chats.zip", createZip([{ path: "team/mail.mbox", content: mail(2, 5) }]));
  assert.match(await sync(), /papers: done, 1 added/);
  const first = await count();
  assert.deepEqual(first, {
    papers: 1,
    "mail-old": 4,
    "mail-2019-old": 3,
    "calendar-dates": 1,
    "mail-messages": 2,
    "mail-chats": 2,
  });
  assert.match(await log(), /old\.mbox was imported into the connection mail-old: 4 added/);
  const before = await imports();
  assert.match(await sync(), /done, 0 added, 0 changed, 0 deleted/);
  assert.equal(await imports(), before, "an unchanged export is not read again");
  write("note.md", "# Quince\nAnother text.");
  assert.match(await sync(), /done, 0 added, 1 changed, 0 deleted/);
  assert.equal(await imports(), before);
});

test("R76 a growing export is imported again, and a removed one keeps its records", async (t) => {
  const { folder, write, sync, count, imports } = await watch(t);
  write("old.mbox", mail(2));
  await sync();
  write("2019/old.mbox", mail(1, 9));
  await sync();
  assert.deepEqual(await count(), { papers: 0, "mail-old": 2, "mail-2019-old": 1 });
  const before = await imports();
  write("old.mbox", mail(5));
  await sync();
  assert.equal((await count())["mail-old"], 5);
  assert.equal(await imports(), before + 1, "only what changed is read");
  rmSync(join(folder, "old.mbox"));
  await sync();
  assert.deepEqual(await count(), { papers: 0, "mail-old": 5, "mail-2019-old": 1 });
});

test("R75 an unreadable export is named in the log, and the others and the documents are read", async (t) => {
  const { write, sync, log, count } = await watch(t);
  write("broken.zip", Buffer.concat([createZip([{ path: "a.mbox", content: mail(2) }]).subarray(0, 900)]));
  write("note.md", "A note.");
  write("good.mbox", mail(2));
  assert.match(await sync(), /papers: done, 1 added/);
  assert.deepEqual(await count(), { papers: 1, "mail-good": 2 });
  assert.match(await log(), /good\.mbox was imported/);
});

test("exports stay where they are when the owner wants documents only", async (t) => {
  const { write, sync, count } = await watch(t, "--documents-only");
  write("note.md", "A note.");
  write("old.zip", createZip([{ path: "a.mbox", content: mail(2) }]));
  await sync();
  assert.deepEqual(await count(), { papers: 1 });
});
