import assert from "node:assert/strict";
import { test } from "node:test";
import { activityCell, makeTakeout } from "../../../../testing/files/takeout.ts";
import { createZip } from "../../../../testing/files/zip.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import type { Importer } from "../importer.ts";
import { importers } from "../importers.ts";
import { readAll } from "../read-all.test.ts";
import { google } from "./google.ts";
import { parseWrittenTime } from "./written-time.ts";

type Contents = Readonly<Record<string, string | Uint8Array>>;

const zip = (contents: Contents) =>
  createZip(Object.entries(contents).map(([path, content]) => ({ path, content, packed: true })));

/** The outcome of an import: the records of each stream and format, and what is left out. */
async function importAll(contents: Contents) {
  const { groups, left_out, close } = await sortFiles(createMemoryFiles("Downloads", contents), importers);
  const counts: Record<string, number> = {};
  const places = new Set<string>();
  for (const { importer, files, place } of groups) {
    places.add(place);
    const manifest = (await importer.inspect?.(files, undefined)) ?? importer.manifest;
    const read: Importer["read"] = (source) => importer.read({ ...source, manifest });
    const { items, rejected } = await readAll({ ...importer, manifest, read }, files);
    assert.deepEqual(rejected, [], importer.id);
    for (const item of items) {
      if (item.kind !== "record") continue;
      const name = `${importer.id}/${item.stream}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  await close();
  return { counts, left_out, places: [...places] };
}

const whole = {
  "calendar/events": 1,
  "contacts/contacts": 1,
  "documents/documents": 1,
  "google/activity": 5,
  "google/attachments": 3,
  "google/chats": 1,
  "google/messages": 2,
  "google/notes": 2,
  "google/photos": 1,
  "google/places": 1,
  "google/tasks": 1,
  "mail/messages": 2,
};
const sum = (counts: Readonly<Record<string, number>>, format: string) =>
  Object.entries(counts).reduce((total, [name, count]) => total + (name.startsWith(format) ? count : 0), 0);
const withoutTables = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(counts)
      .filter(([name]) => !name.startsWith("table/"))
      .toSorted(),
  );

for (const language of ["en", "de"] as const) {
  test(`R72 a Takeout in ${language} with 16 kinds is imported whole, as a folder, a zip, a zip in a folder and in parts`, async () => {
    const folder = makeTakeout(language);
    const entries = Object.entries(folder);
    // The overview is in every part; a note is in another part than its picture.
    const half = (at: number) =>
      Object.fromEntries(
        entries.filter(([path], index) => index % 2 === at || path.endsWith("archive_browser.html")),
      );
    const forms: Readonly<Record<string, Contents>> = {
      folder,
      zip: { "takeout-20260101T000000Z-001.zip": zip(folder) },
      "a zip in a folder": { "old/takeout.zip": zip(folder), "old/notes.bin": "" },
      parts: {
        "takeout-20260101T000000Z-1-001.zip": zip(half(0)),
        "takeout-20260101T000000Z-1-002.zip": zip(half(1)),
      },
    };
    for (const [form, contents] of Object.entries(forms)) {
      const { counts, left_out, places } = await importAll(contents);
      assert.deepEqual(withoutTables(counts), whole, form);
      assert.equal(sum(counts, "table/"), 4, `${form}: comments and locations`);
      const lost = left_out.filter(({ path }) => !path.endsWith("notes.bin"));
      assert.deepEqual(lost, [], form);
      if (form === "parts") assert.ok(places.every((place) => place.startsWith("takeout-20260101T000000Z/")));
    }
  });
}

test("notes, chats, activities, tasks, places and photos have their text, people and times", async () => {
  const { stream, rejected } = await readAll(google, makeTakeout());
  assert.deepEqual(rejected, []);
  const [rope, shopping] = [...stream("notes").values()];
  assert.deepEqual(
    [rope?.title, rope?.text, rope?.labels, rope?.links, rope?.shared_with, rope?.edited_at],
    [
      "Rope",
      "Ten metres of the blue rope",
      ["Boat"],
      ["https://rope.example/"],
      ["ben@example.org"],
      "2024-01-01T00:00:00.000Z",
    ],
  );
  assert.equal(shopping?.text, "[x] oil\n[ ] rope");
  const [question, picture] = [...stream("messages").values()];
  assert.deepEqual(
    [question?.chat, question?.chat_id, question?.sender, question?.sent_at, question?.text],
    ["Ann, Ben", "DM 1aB", "Ann", "2016-11-03T23:59:50.000Z", "Is the paint dry?"],
  );
  assert.equal(picture?.sent_at, "2016-11-03T23:59:51.000Z");
  const files = [...stream("attachments").values()];
  assert.equal(files.filter(({ file }) => file !== undefined).length, 3, "every file was found");
  const titles = [...stream("activity").values()].map(({ product, title, done_at, text, details }) => [
    product,
    title,
    String(done_at).slice(0, 19),
    text,
    details,
  ]);
  assert.deepEqual(titles.toSorted(), [
    ["Assistant", "Said set a timer", "2024-01-22T09:04:11", undefined, ["At home"]],
    [
      "Gemini Apps",
      "Prompted How thick is a hawser?",
      "2024-02-02T07:24:02",
      "At least 120 mm round.",
      ["Attached 1 file."],
    ],
    ["Gemini Apps", "Prompted What is a bollard?", "2024-01-22T22:04:12", "A post on a quay.", ["At home"]],
    ["Search", "Searched for hawser", "2024-02-02T07:24:02", undefined, undefined],
    ["YouTube", "Watched Splicing", "2024-02-02T07:24:02", undefined, ["Knots Weekly"]],
  ]);
  const [task] = [...stream("tasks").values()];
  assert.deepEqual(
    [task?.title, task?.list, task?.due_at],
    ["Oil the winch", "Boat", "2024-02-01T00:00:00.000Z"],
  );
  const [place] = [...stream("places").values()];
  assert.deepEqual([place?.name, place?.address, place?.latitude], ["Harbour", "Quay 1", 54.3]);
  const [photo] = [...stream("photos").values()];
  assert.deepEqual(
    [photo?.title, photo?.description, photo?.people, photo?.taken_at, photo?.album],
    ["IMG_1.png", "The mast", ["Ben"], "2024-01-01T00:00:00.000Z", "Photos from 2024"],
  );
});

test("a Takeout resumes after every checkpoint with the same records", async () => {
  const contents = makeTakeout();
  const { items } = await readAll(google, contents);
  for (const [at, { checkpoint }] of items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(google, contents, checkpoint);
    assert.deepEqual(rest.items, items.slice(at + 1), checkpoint);
  }
});

test("files beside an activity that are not pictures keep their own formats", async () => {
  const { counts } = await importAll({
    "MyActivity.json": makeTakeout()["Takeout/My Activity/Search/MyActivity.json"]!,
    "letter.eml":
      "Message-ID: <1@x>\nFrom: a@x\nTo: b@x\nSubject: s\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody\n",
  });
  assert.deepEqual(counts, { "google/activity": 1, "mail/messages": 1 });
});

test("broken notes and activities are rejected by their place, and the others are read", async () => {
  const { stream, rejected } = await readAll(google, {
    "Takeout/Keep/a.json": '{"isTrashed":false,"createdTimestampUsec":1,"title":"half',
    "Takeout/Keep/b.json": '{"isTrashed":false,"createdTimestampUsec":1704067100000000,"title":"whole"}',
    "Takeout/x/MyActivity.json":
      '[{"header":"Search","title":"a","time":"2024-01-01T00:00:00Z"},7,{"header":"x"}]',
    "Takeout/x/MyActivity.html": `<html><title>x</title><style>.outer-cell {}</style>${activityCell("Maps", ["Used Maps"])}`,
  });
  assert.deepEqual(
    rejected.map(({ place, reason }) => [place, reason]),
    [
      ["Takeout/Keep/a.json, note 1 at byte 0", "The file ends inside it."],
      [
        "Takeout/x/MyActivity.json, activity 2 at byte 63",
        "Not an activity: it has neither a title nor a time.",
      ],
      [
        "Takeout/x/MyActivity.json, activity 3 at byte 65",
        "Not an activity: it has neither a title nor a time.",
      ],
    ],
  );
  assert.deepEqual([stream("notes").size, stream("activity").size], [1, 2]);
});

test("an activity is the same wherever chunks split its page", async () => {
  const html = `<html><title>x</title><style>.outer-cell {}</style>${activityCell("Maps", ["Used Maps", "5 mars 2024, 10:00:00 CET"])}`;
  for (let at = 1; at < html.length; at += 7) {
    const bytes = Buffer.from(html);
    const entry = {
      path: "a.html",
      size_bytes: bytes.length,
      head: async () => bytes,
      async *open() {
        yield bytes.subarray(0, at);
        yield bytes.subarray(at);
      },
    };
    const files = {
      ...createMemoryFiles("x", {}),
      list: async function* () {
        yield entry;
      },
    };
    const { stream } = await readAll(google, files);
    assert.deepEqual(
      [...stream("activity").values()].map(({ done_at, title }) => [done_at, title]),
      [["2024-03-05T09:00:00.000Z", "Used Maps"]],
    );
  }
});

test("times are read in the forms that Google writes in different languages", () => {
  const times: Readonly<Record<string, string | undefined>> = {
    "Jan 31, 2018, 10:54:50 PM": "2018-01-31T22:54:50.000Z",
    "Jan 31, 2018, 10:54:50\u202fPM PST": "2018-02-01T06:54:50.000Z",
    "31 Jan 2018, 22:54:50 GMT+05:30": "2018-01-31T17:24:50.000Z",
    "22.01.2024, 10:04:11 MEZ": "2024-01-22T09:04:11.000Z",
    "22/01/2024, 10:04:11 BST": "2024-01-22T09:04:11.000Z",
    "2024/01/22 10:04:11 JST": "2024-01-22T01:04:11.000Z",
    "2024年1月22日 10:04:11 JST": "2024-01-22T01:04:11.000Z",
    "22 ene 2024, 10:04:11 CET": "2024-01-22T09:04:11.000Z",
    "22 de jan. de 2024, 10:04:11 BRT": "2024-01-22T13:04:11.000Z",
    "22 мар. 2024 г., 10:04:11 MSK": "2024-03-22T07:04:11.000Z",
    "2024. 1. 22. 오후 3:04:11 KST": "2024-01-22T06:04:11.000Z",
    "Thursday, November 3, 2016 at 12:00:50 AM UTC": "2016-11-03T00:00:50.000Z",
    "Watched a video": undefined,
    "31.02.2024, 10:04:11 MEZ": undefined,
    "2024 at 25:61:99": undefined,
  };
  for (const [written, expected] of Object.entries(times)) {
    const timeMs = parseWrittenTime(written);
    assert.equal(timeMs === undefined ? undefined : new Date(timeMs).toISOString(), expected, written);
  }
  assert.equal(parseWrittenTime("Jan 31, 2018, 10:00:00", "Asia/Tokyo"), Date.UTC(2018, 0, 31, 1));
});
