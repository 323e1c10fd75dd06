/** The same files under other time zones and locales. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openSqlite } from "@rungs/store/sqlite";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { rungs } from "../../testing/cli/program.ts";
import { makeCalendar, makeEvent, OFFICE_ZONE } from "../../testing/files/calendar.ts";
import { createZip } from "../../testing/files/zip.ts";
import { digestContents } from "./digest.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-zones-"));
after(() => rmSync(folder, { recursive: true }));

const inner = "From: c@d\nDate: 13 Aug 1998 07:42:41 +0200\nSubject: First\n\nkingfisher\n";
const contents: Readonly<Record<string, string | Uint8Array>> = {
  "forward.eml": `From: a@b\nSubject: Fwd\nDate: 1 Jan 2026 00:30:00\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nsee\n--x\nContent-Type: message/rfc822\n\n${inner}--x--\n`,
  "work.ics": makeCalendar(
    OFFICE_ZONE,
    makeEvent("UID:1", "SUMMARY:floating", "DTSTART:20240501T003000", "DURATION:P1D"),
    makeEvent("UID:2", "SUMMARY:zoned", "DTSTART;TZID=Europe/Berlin:20240331T023000"),
  ),
  "people.vcf":
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\u00c4da I\u0307\r\nREV:2024-01-01T00:30:00\r\nEND:VCARD\r\n",
  "chat.txt": "[31.12.23, 23:59:00] Ann: hi\n[01.01.24, 00:01:00] Ben: ho\n",
  "spend.csv": "id;on;sum\n1;31.12.2023;1.234,50\n2;01.01.2024;3,00\n",
  "log.jsonl": '{"id":"I","at":"2024-01-01 00:30"}\n{"id":"i","at":"2024-01-02 00:30"}\n',
  "note.md": "---\ncreated: 2024-01-01\n---\n# Note\n\nwords\n",
  "inner.zip": createZip([{ path: "page.html", content: "<!doctype html><html><body>Words</body></html>" }]),
};

test("R74 the same files give the same database in every time zone and locale", async (t) => {
  const path = join(folder, "Everything");
  mkdirSync(path);
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(path, name), content);
  const { TZ } = process.env;
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  const digest = async (home: string) => {
    const store = await openSqlite(join(home, "rungs.db"));
    try {
      return await digestContents(store);
    } finally {
      await store.close();
    }
  };
  const found = [];
  for (const zone of ["UTC", "Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati"]) {
    process.env.TZ = zone;
    const home = join(folder, zone.replace("/", "-"));
    const { code, err } = await rungsHere(["import", path], { RUNGS_HOME: home });
    assert.equal(code, 0, err);
    found.push(await digest(home));
  }
  const home = join(folder, "turkish");
  const env = { RUNGS_HOME: home, TZ: "Europe/Istanbul", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" };
  const { code, err } = await rungs(["import", path], env);
  assert.equal(code, 0, err);
  found.push(await digest(home));
  assert.ok(found[0]!.records >= 11, String(found[0]!.records));
  for (const each of found) assert.deepEqual(each, found[0]);
});
