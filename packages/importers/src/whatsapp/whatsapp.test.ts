import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { createMemoryFiles } from "../files/memory-files.ts";
import { createStreamedFile, matches as matchesFiles, readAll } from "../read-all.test.ts";
import { MESSAGE_MAX_CHARS, readMessages } from "./read-messages.ts";
import { whatsapp } from "./whatsapp.ts";

const ios = [
  "[13/05/24, 9:00:00\u202fAM] Boat club: \u200eMessages and calls are end-to-end encrypted.",
  "[13/05/24, 9:00:05\u202fAM] ~\u202fAda: Good morning",
  "second line: with a colon",
  "",
  "31/12/2020, 10:00 - quoted from another phone: hi",
  "\u200e[13/05/24, 9:01:00\u202fPM] Bob: \u200e<attached: 00000004-PHOTO-2024-05-13.jpg>",
  "[14/05/24, 9:02:00\u202fAM] Bob: ok",
  "[14/05/24, 9:02:00\u202fAM] Bob: ok",
  "[14/05/24, 9:03:00\u202fAM] Bob: \u200e<attached: 00000005-gone.pdf>",
].join("\r\n");

const android = [
  '13/05/2024, 09:00 - Ada changed the subject from "A: b" to "C"',
  "13/05/2024, 09:00 - You created this group",
  "13/05/2024, 09:01 - Ada: rules.txt (archivo adjunto)",
  "Please read",
  "13/05/2024, 09:02 - Bob: <Media omitted>",
  "13/05/2024, 09:03 - Bob: ",
].join("\n");

const iosFiles = { "_chat.txt": ios, "00000004-PHOTO-2024-05-13.jpg": "\u00ff\u00d8\u00ff" };
const androidFiles = {
  "WhatsApp Chat with Boat club.txt": android,
  "rules.txt": "No running on deck.",
  "Tax 2023.pdf": "%PDF-1.4",
};

test("a chat is detected by how its messages begin; other texts are not mistaken for one", async () => {
  const matches = (files: Record<string, string>) =>
    matchesFiles(whatsapp, createMemoryFiles("export", files));
  assert.equal(await matches(iosFiles), true);
  assert.equal(await matches(androidFiles), true);
  assert.equal(await matches({ renamed: ios }), true);
  assert.equal(
    await matches({ "a.txt": "Dear diary\n13/05/2024, 09:00 - Ada: hi\n13/05/2024, 09:00 - Ada: hi" }),
    false,
  );
  assert.equal(await matches({ "log.txt": "2024-05-13 09:00 - started" }), false);
  assert.equal(await matches({ "_chat.txt": "" }), false);
  assert.equal(
    await matches({ "notes.txt": "Buy rope", "b.txt": "Dear diary\n13/05/2024, 09:00 - Ada: hi" }),
    false,
  );
  assert.equal(await matches({ "a.txt": android, "notes.txt": "Buy rope" }), true);
  assert.equal(await matches({ "Old/phone/_chat.txt": ios, "notes.md": "Buy rope" }), true);
});

test("an iPhone's notice is a system message, and an omitted picture is not", async () => {
  const chat = [
    "[13/05/24, 9:00:00] Boat club: \u200eMessages and calls are end-to-end encrypted.",
    "[13/05/24, 9:00:01] Ada: \u200eAda added Bob, Cid and three other people to this group",
    "[13/05/24, 9:00:02] Bob: \u200eimage omitted",
    "[13/05/24, 9:00:03] Bob: hi.",
  ].join("\n");
  const { stream } = await readAll(whatsapp, { "WhatsApp Chat - Boat club.txt": chat });
  assert.deepEqual(
    [...stream("messages").values()].map(({ kind, sender }) => [kind, sender]),
    [
      ["system", undefined],
      ["system", "Ada"],
      ["message", "Bob"],
      ["message", "Bob"],
    ],
  );
  assert.deepEqual([...stream("chats").values()][0]?.participants, ["Bob"]);
});

test("times are read in the zone that the owner names, under the same keys", async () => {
  const chat = "13/01/2024, 09:00 - Ada: hi\n13/07/2024, 09:00 - Bob: ho\n";
  const readIn = async (time_zone: string | undefined) => {
    const files = createMemoryFiles("a.txt", { "a.txt": chat });
    const source = {
      files,
      time_zone,
      note: () => undefined,
      putBlob: () => assert.fail(),
      extractText: () => assert.fail(),
    };
    const items = await Array.fromAsync(whatsapp.read(source));
    return items.flatMap((item) => (item.kind === "record" && item.stream === "messages" ? [item.data] : []));
  };
  const berlin = await readIn("Europe/Berlin");
  assert.deepEqual(
    berlin.map(({ sent_at, local_time }) => [sent_at, local_time]),
    [
      ["2024-01-13T08:00:00.000Z", "2024-01-13T09:00:00"],
      ["2024-07-13T07:00:00.000Z", "2024-07-13T09:00:00"],
    ],
  );
  assert.deepEqual(
    berlin.map(({ id }) => id),
    (await readIn(undefined)).map(({ id }) => id),
  );
});

test("files without a chat are refused", async () => {
  await assert.rejects(readAll(whatsapp, { "notes.txt": "Buy rope" }), { code: "unknown_format" });
});

test("iPhone: marks, narrow spaces, 12-hour times, continuation lines", async () => {
  const { stream, rejected } = await readAll(whatsapp, iosFiles);
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("messages").values()].map(({ local_time, sender, text }) => [local_time, sender, text]),
    [
      ["2024-05-13T09:00:00", "Boat club", "Messages and calls are end-to-end encrypted."],
      [
        "2024-05-13T09:00:05",
        "Ada",
        "Good morning\nsecond line: with a colon\n\n31/12/2020, 10:00 - quoted from another phone: hi",
      ],
      ["2024-05-13T21:01:00", "Bob", "<attached: 00000004-PHOTO-2024-05-13.jpg>"],
      ["2024-05-14T09:02:00", "Bob", "ok"],
      ["2024-05-14T09:02:00", "Bob", "ok"],
      ["2024-05-14T09:03:00", "Bob", "<attached: 00000005-gone.pdf>"],
    ],
  );
});

test("Android: notices of the application have no sender", async () => {
  const { stream } = await readAll(whatsapp, androidFiles);
  assert.deepEqual(
    [...stream("messages").values()].map(({ kind, sender, text }) => [kind, sender, text]),
    [
      ["system", undefined, 'Ada changed the subject from "A: b" to "C"'],
      ["system", undefined, "You created this group"],
      ["message", "Ada", "rules.txt (archivo adjunto)\nPlease read"],
      ["message", "Bob", "<Media omitted>"],
      ["message", "Bob", undefined],
    ],
  );
});

test("files are attachments: in any language when the export has them, else in English", async () => {
  const fromPhone = (await readAll(whatsapp, iosFiles)).stream("attachments");
  assert.deepEqual(
    [...fromPhone.values()].map(({ name, file, sender }) => [name, file !== undefined, sender]),
    [
      ["00000004-PHOTO-2024-05-13.jpg", true, "Bob"],
      ["00000005-gone.pdf", false, "Bob"],
    ],
  );
  const { stream } = await readAll(whatsapp, androidFiles);
  const [rules] = stream("attachments").values();
  assert.deepEqual([rules?.text, rules?.chat], ["No running on deck.", "Boat club"]);
  assert.deepEqual(stream("messages").get(String(rules?.message_id))?.attachment_ids, [rules?.id]);
});

test("notes say how dates and times were read, and a chat sums up its messages", async () => {
  const { notes, stream } = await readAll(whatsapp, androidFiles);
  assert.deepEqual(notes, [
    "WhatsApp Chat with Boat club.txt: dates were read as day/month/year; in any other order some would not be valid dates.",
    "WhatsApp Chat with Boat club.txt: the file has no time zone; times were read as UTC (--timezone names another).",
  ]);
  assert.deepEqual(stream("chats").get("Boat club"), {
    id: "Boat club",
    name: "Boat club",
    participants: ["Ada", "Bob"],
    message_count: 5,
    first_at: "2024-05-13T09:00:00.000Z",
    last_at: "2024-05-13T09:03:00.000Z",
  });
});

test("a chat takes the archive's name if its file has none", async () => {
  for (const [name, chat] of [
    ["WhatsApp Chat - Boat club.zip", "Boat club"],
    ["WhatsApp Chat with Bob (2)", "Bob"],
    ["_chat.txt", undefined],
  ] as const) {
    const { stream } = await readAll(whatsapp, createMemoryFiles(name, { "_chat.txt": ios }));
    assert.equal([...stream("chats").values()][0]?.name, chat);
  }
});

test("keys stay the same in a longer export, even when its dates are read in another order", async () => {
  const short = "01/05/24, 10:00 - Ada: a\n01/05/24, 10:00 - Ada: a\n02/05/24, 10:00 - Bob: b\n";
  const long = `${short}05/13/24, 10:00 - Ada: c\n`;
  const [before, after] = [
    await readAll(whatsapp, { "_chat.txt": short }),
    await readAll(whatsapp, { "_chat.txt": long }),
  ];
  const keys = [...before.stream("messages").keys()];
  assert.equal(keys.length, 3);
  assert.deepEqual([...after.stream("messages").keys()].slice(0, 3), keys);
  assert.equal(before.stream("messages").get(keys[2]!)?.local_time, "2024-05-02T10:00:00");
  assert.equal(after.stream("messages").get(keys[2]!)?.local_time, "2024-02-05T10:00:00");
});

suite("the lines of a chat", () => {
  const form = { layout: "ios", order: "day/month/year" } as const;

  test("yield the same messages however the bytes are split", async () => {
    const bytes = Buffer.from(`${ios}\n[14/05/24, 9:04:00] Zoë: naïve 漢字 🙂`);
    const read = (size: number) =>
      Array.fromAsync(
        readMessages(
          createStreamedFile("_chat.txt", async function* () {
            for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
          }),
          form,
        ),
      );
    const whole = await read(bytes.length);
    assert.equal(whole.length, 7);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (size) => {
        assert.deepEqual(await read(size), whole);
      }),
      { numRuns: 20 },
    );
  });

  test("are rejected with their place when a message is over the limit, in one line or in many", async () => {
    const piece = Buffer.from("x".repeat(1024 * 1024));
    const open = (between: string) =>
      async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from("[13/05/24, 9:00:00] Ada: a\n[13/05/24, 9:00:01] Ada: long\n");
        for (let size = 0; size <= MESSAGE_MAX_CHARS; size += piece.length) {
          yield piece;
          yield Buffer.from(between);
        }
        yield Buffer.from("\n[13/05/24, 9:00:02] Ada: b");
      };
    for (const between of ["", "\n"]) {
      const messages = await Array.fromAsync(
        readMessages(createStreamedFile("_chat.txt", open(between)), form),
      );
      assert.deepEqual(
        messages.map(({ kind, place }) => [
          kind,
          place.replace(/\d+$/, (line) => (Number(line) > 2 ? "N" : line)),
        ]),
        [
          ["message", "_chat.txt, line 1"],
          ["rejected", "_chat.txt, line 2"],
          ["message", "_chat.txt, line N"],
        ],
      );
    }
  });
});
