import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { makeCalendar, makeEvent } from "../../../../testing/files/calendar.ts";
import { makeDocx } from "../../../../testing/files/docx.ts";
import { makePdf } from "../../../../testing/files/pdf.ts";
import { createZip } from "../../../../testing/files/zip.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { importers } from "../importers.ts";
import { sortFiles } from "./sort-files.ts";

type Contents = Readonly<Record<string, string | Uint8Array>>;

const mail = (at: number) =>
  `Message-ID: <${at}@x>\nFrom: Ann <ann@x>\nTo: Ben <ben@x>\nSubject: Ships\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody ${at}\n`;
const mbox = [1, 2, 3].map((at) => `From ann@x Thu Jan  1 00:00:00 2026\n${mail(at)}\n`).join("");
const calendar = makeCalendar(
  "X-WR-CALNAME:Holidays",
  ...[1, 2, 3].map((at) =>
    makeEvent(`UID:${at}`, "STATUS:CONFIRMED", "X-MOZ-GENERATION:1", `SUMMARY:Day ${at}`),
  ),
);
const card = (name: string) =>
  `BEGIN:VCARD\r\nVERSION:3.0\r\nX-ABUID:1\r\nFN:${name}\r\nX-STATUS:1\r\nTEL:12\r\nEND:VCARD\r\n`;
const chat = ["hi", "ho", "so", "la"]
  .map((text, at) => `[01.02.26, 10:0${at}:00] ${at % 2 ? "Ann" : "Ben"}: ${text}\n`)
  .join("");
const csv = `id,name,sum\n${[1, 2, 3, 4].map((at) => `${at},n${at},${at * 7}\n`).join("")}`;
const list = JSON.stringify(
  [1, 2, 3].map((id) => ({ id, name: `n${id}` })),
  undefined,
  1,
);
const conversation = { title: "t", mapping: { n: { id: "n", parent: null, children: [], message: null } } };
const slack = {
  "users.json": JSON.stringify([{ id: "U1", name: "ann" }]),
  "channels.json": JSON.stringify([{ id: "C1", name: "general", members: [] }]),
  "general/2026-01-01.json": JSON.stringify([{ type: "message", user: "U1", text: "hi", ts: "1.1" }]),
};
/** More items than the property below changes lines: if every item lost a member, the format would differ. */
const ITEMS = [1, 2, 3, 4, 5, 6, 7, 8];
const facebook = {
  participants: [{ name: "Ann" }],
  messages: ITEMS.map((at) => ({ sender_name: "Ann", timestamp_ms: at, content: `n${at}` })),
  thread_path: "inbox/ann_1",
};
const discordMessages = ITEMS.map((ID) => ({
  ID,
  Timestamp: "2026-01-01 00:00:00",
  Contents: `n${ID}`,
  Attachments: "",
}));
const signalFrames = [
  { version: 1 },
  { recipient: { id: "1", self: {} } },
  { chat: { id: "10", recipientId: "1" } },
  ...ITEMS.map((at) => ({
    chatItem: { chatId: "10", authorId: "1", dateSent: `${at}`, standardMessage: {} },
  })),
];
const activity = { header: "Search", title: "Searched for rope", time: "2026-01-01T00:00:00Z" };
const tweets = `window.YTD.tweets.part0 = ${JSON.stringify(
  ITEMS.map((at) => ({ tweet: { id_str: `${at}`, full_text: `n${at}` } })),
  undefined,
  1,
)}`;
const messages = [
  "CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,SUBJECT,CONTENT,FOLDER",
  ...ITEMS.map((at) => `a,,Ann,,Ben,,2026-01-01 00:00:0${at} UTC,,n${at},INBOX`),
].join("\n");
const visits = JSON.stringify(
  { "Browser History": ITEMS.map((at) => ({ url: `https://a.example/${at}`, time_usec: at })) },
  undefined,
  1,
);
const telegram = JSON.stringify({
  name: "n",
  type: "personal_chat",
  id: 1,
  messages: [{ id: 1, type: "message", date: "2026-01-01T00:00:00", text: "" }],
});
const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");

const zip = (contents: Contents) =>
  createZip(Object.entries(contents).map(([path, content]) => ({ path, content, packed: true })));
const inside = (folder: string, contents: Contents): Contents =>
  Object.fromEntries(Object.entries(contents).map(([path, content]) => [`${folder}/${path}`, content]));

async function sort(contents: Contents) {
  const { groups, left_out, close } = await sortFiles(createMemoryFiles("Downloads", contents), importers);
  const found = [];
  for (const { importer, place, files, file_count } of groups) {
    const paths = [];
    for await (const { path } of files.list()) paths.push(path);
    found.push({ format: importer.id, place, name: files.name, file_count, paths });
  }
  await close();
  return { found, left_out };
}

test("R72 sorts a mixed folder: each file and archive goes to the importer that recognizes it", async () => {
  const contents: Contents = {
    "Takeout/Mail/All mail.mbox": mbox,
    "Takeout/Calendar/holidays.ics": calendar,
    "Takeout/Contacts/all.vcf": card("Ann"),
    "Takeout/Drive/letter.docx": makeDocx(["Dear Ann"]),
    "Takeout/Drive/paper.pdf": makePdf([["words"]]),
    "Takeout/Drive/page.html": "<!doctype html><html><body>Words</body></html>",
    "Takeout/Drive/photo.png": PNG,
    "notes/plan.md": "# Plan\n\nBuy rope, and paint, and oil.\n",
    "spend.csv": csv,
    "list.json": list,
    "letter.eml": mail(9),
    "WhatsApp Chat with Ben.txt": chat,
    ...inside("chatgpt", {
      "conversations.json": JSON.stringify([conversation]),
      "file-Ab1-x.pdf": makePdf([["x"]]),
    }),
    ...inside("ChatExport", { "result.json": telegram, "files/rules.txt": "No running." }),
    "slack export.zip": zip(slack),
    "outer.zip": zip({ "inner/calendars.zip": zip({ "a.ics": calendar }), "b.vcf": card("Ben") }),
    "broken.zip": zip(slack).subarray(0, 60),
    "movie.mp4": Buffer.from("\0\0\0\x18ftypmp42", "latin1"),
    "archive.pst": "!BDN\u0000\u0000",
    "empty.txt": "",
    "Mail/Inbox": mbox,
    "Mail/msgFilterRules.dat": "version=9\nlogging=no\n",
  };
  const { found, left_out } = await sort(contents);
  assert.deepEqual(
    found.map(({ format, place, name, file_count }) => [format, place, name, file_count]),
    [
      ["chatgpt", "chatgpt/", "chatgpt", 2],
      ["telegram", "ChatExport/", "ChatExport", 2],
      ["whatsapp", "", "Downloads", 1],
      ["calendar", "", "Downloads", 1],
      ["contacts", "", "Downloads", 1],
      ["mail", "", "Downloads", 4],
      ["table", "", "Downloads", 2],
      ["documents", "", "Downloads", 4],
      ["contacts", "outer.zip/", "outer.zip", 1],
      ["calendar", "outer.zip/inner/calendars.zip/", "calendars.zip", 1],
      ["slack", "slack export.zip/", "slack export.zip", 3],
    ],
  );
  // Documents include what their notes may link to; paths of an export are relative to its folder.
  const documents = found.find(({ format }) => format === "documents")!.paths;
  assert.ok(documents.includes("Takeout/Drive/photo.png") && documents.includes("movie.mp4"));
  assert.deepEqual(found[0]?.paths, ["conversations.json", "file-Ab1-x.pdf"]);
  assert.deepEqual(
    left_out.map(({ path, reason }) => [path, reason.slice(0, 40)]),
    [
      ["Mail/msgFilterRules.dat", "It is text of no known format beside fil"],
      ["broken.zip", "broken.zip looks like a zip archive and "],
      ["empty.txt", "It is empty."],
    ],
  );
});

test("R72 without notes that may link to it, an unread file is listed with its reason", async () => {
  const contents: Contents = {
    "letter.docx": makeDocx(["Dear Ann"]),
    "movie.mp4": Buffer.from("\0\0\0\x18ftypmp42", "latin1"),
    "photos.7z": Buffer.from("7z\xbc\xaf\x27\x1c\0\x04", "latin1"),
    "mail.tar.bz2": Buffer.from("BZh91AY&SY\0", "latin1"),
  };
  const named = async (files: Contents) =>
    (await sort(files)).left_out.map(({ path, reason }) => [path, reason.slice(0, 18)]);
  assert.deepEqual(await named(contents), [
    ["mail.tar.bz2", "It is an archive o"],
    ["movie.mp4", "It is a video, whi"],
    ["photos.7z", "It is an archive o"],
  ]);
  assert.deepEqual(await named({ ...contents, "plan.md": "# Plan\n" }), []);
});

test("R72 every file is in one group or left out, and none in two", async () => {
  const kinds: readonly (string | Uint8Array)[] = [
    mbox,
    mail(1),
    calendar,
    card("Ann"),
    chat,
    csv,
    list,
    "words",
    "",
    PNG,
    telegram,
  ];
  const names = [
    "a.txt",
    "b.ics",
    "c",
    "d/e.json",
    "d/f.md",
    "d/g/h.csv",
    "result.json",
    ".x/y.txt",
    "d/conversations.json",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...kinds), { minKeys: 1 }),
      async (contents) => {
        const { found, left_out } = await sort(contents);
        const placed = found.flatMap(({ place, paths }) =>
          paths.map((path) => (place === "" || path.startsWith(place) ? path : place + path)),
        );
        assert.deepEqual(
          [...placed, ...left_out.map(({ path }) => path)].toSorted(),
          Object.keys(contents).toSorted(),
        );
      },
    ),
    { numRuns: 100 },
  );
});

const formats: readonly (readonly [format: string, name: string, content: string])[] = [
  ["calendar", "a.ics", calendar],
  ["contacts", "a.vcf", ["Ann", "Ben", "Cid"].map(card).join("")],
  ["mail", "a.mbox", mbox],
  ["whatsapp", "a.txt", chat.repeat(3)],
  ["table", "a.csv", csv],
  ["table", "a.json", list],
  ["chatgpt", "a.json", JSON.stringify([conversation, conversation], undefined, 1)],
  ["meta", "message_1.json", JSON.stringify(facebook, undefined, 1)],
  ["discord", "a.json", JSON.stringify(discordMessages, undefined, 1)],
  ["signal", "a.jsonl", signalFrames.map((frame) => JSON.stringify(frame)).join("\n")],
  ["twitter", "tweets.js", tweets],
  ["linkedin", "messages.csv", messages],
  ["browser", "BrowserHistory.json", visits],
  ["google", "a.json", JSON.stringify(Array(ITEMS.length).fill(activity), undefined, 1)],
];

test("R72 a file with lines added, removed or moved is not detected as another format without a note", async () => {
  const changes = fc.array(
    fc.record({
      at: fc.nat(),
      to: fc.nat(),
      kind: fc.constantFrom("add", "remove", "move"),
      line: fc.constantFrom(
        "",
        "Hello, you: hi",
        "x",
        "a;b;c",
        "Status: 1",
        "BEGIN:VALARM",
        "2026-01-01",
        "{}",
        "# Title",
      ),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...formats),
      changes,
      fc.boolean(),
      async ([format, name, content], steps, named) => {
        const lines = content.split("\n");
        for (const { at, to, kind, line } of steps) {
          const from = at % Math.max(1, lines.length);
          const [moved = ""] = kind === "add" ? [line] : lines.splice(from, 1);
          if (kind !== "remove") lines.splice(to % (lines.length + 1), 0, moved);
        }
        const path = named ? name : name.endsWith(".txt") ? name : "a";
        const files = createMemoryFiles("x", { [path]: lines.join("\n") });
        const { groups } = await sortFiles(files, importers);
        for (const { importer, guesses } of groups)
          assert.ok(
            importer.id === format ||
              // Without its header, LinkedIn's table is like any other.
              (format === "linkedin" && importer.id === "table") ||
              guesses.length > 0,
            `${importer.id} for ${format}: ${lines.join("\n")}`,
          );
      },
    ),
    { numRuns: 500 },
  );
});

test("nested archives are held in memory within a limit, and opened only to a maximum depth", async () => {
  let nested = zip({ "a.ics": calendar });
  for (let depth = 0; depth < 4; depth += 1) nested = zip({ "n.zip": nested });
  const { found, left_out } = await sort({ "n.zip": nested });
  assert.deepEqual(found, []);
  assert.deepEqual(left_out, [
    { path: "n.zip/n.zip/n.zip/n.zip", reason: "It is an archive inside 3 others." },
  ]);
});
