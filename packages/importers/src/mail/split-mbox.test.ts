import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { splitMbox } from "./split-mbox.ts";

const MAX = 1024 * 1024;

interface Found {
  start: number;
  end: number;
  text: string | undefined;
  unescaped: boolean;
}

async function split(chunks: readonly Uint8Array[], max = MAX, offset = 0): Promise<Found[]> {
  const source = (async function* () {
    yield* chunks;
  })();
  const found: Found[] = [];
  for await (const { start, end, bytes, unescaped } of splitMbox(source, offset, max)) {
    found.push({ start, end, text: bytes?.toString("latin1"), unescaped });
  }
  return found;
}

const texts = async (mbox: string, max?: number): Promise<(string | undefined)[]> =>
  (await split([Buffer.from(mbox, "latin1")], max)).map(({ text }) => text);

const LINE = "From ann@example.org Mon Jun  1 10:00:00 2009";

test("messages are split at From lines, without the blank line before the next", async () => {
  const mbox = `${LINE}\nSubject: a\n\none\n\n${LINE}\nSubject: b\n\ntwo\n`;
  assert.deepEqual(await texts(mbox), ["Subject: a\n\none\n", "Subject: b\n\ntwo\n"]);
  const dos = mbox.replaceAll("\n", "\r\n");
  assert.deepEqual(await texts(dos), ["Subject: a\r\n\r\none\r\n", "Subject: b\r\n\r\ntwo\r\n"]);
});

test("From lines in the forms that programs write are recognized", async () => {
  const lines = [
    "From - Mon Jun  3 12:50:27 1996",
    "From - ",
    "From 1844347792267117879@xxx Mon Sep 29 12:04:05 +0000 2025",
    "From 1844347792267117879@xxx",
    "From ann at example.org  Mon Jun  1 10:00:00 2009",
    'From "Ann Example" Wed Jan 30 18:07:01 2002',
    "From ann@example.org Wed, 30 Jan 2002 18:07:01 +0100",
  ];
  for (const line of lines) {
    const mbox = `${line}\nSubject: a\n\none\n\n${line}\nSubject: b\n\ntwo\n`;
    assert.equal((await texts(mbox)).length, 2, line);
  }
});

test("an unescaped From line in a body does not begin a message", async () => {
  const bodies = [
    "From Russia with love\n\nsaid he",
    "From Russia with love\nYear: 1963",
    "From what I know: nothing\nSo: nothing",
    "From 10:30 to 12:00 in 2009 we met\nand talked",
    "From ann@example.org\nno header",
  ];
  for (const body of bodies) {
    const mbox = `${LINE}\nSubject: a\n\n${body}\n\n${LINE}\nSubject: b\n\ntwo\n`;
    assert.deepEqual(await texts(mbox), [`Subject: a\n\n${body}\n`, "Subject: b\n\ntwo\n"]);
  }
});

test("a Content-Length that points to another From line overrides earlier ones; any other is ignored", async () => {
  const body = `before\n\n${LINE}\nTo: inner\n\nafter\n`;
  const told = `${LINE}\nSubject: a\nContent-Length: ${body.length}\n\n${body}`;
  const rest = `\n${LINE}\nSubject: b\n\ntwo\n`;
  const [first, second] = await split([Buffer.from(told + rest)]);
  assert.equal(first?.text, `Subject: a\nContent-Length: ${body.length}\n\n${body}`);
  assert.equal(first.unescaped, true);
  assert.equal(second?.text, "Subject: b\n\ntwo\n");
  for (const wrong of [body.length - 3, body.length + 9, 10 ** 12]) {
    const lied = told.replace(/Length: \d+/, `Length: ${wrong}`) + rest;
    assert.equal((await texts(lied)).length, 3, String(wrong));
  }
  assert.deepEqual(await texts(told), [`Subject: a\nContent-Length: ${body.length}\n\n${body}`]);
});

test("a message over the limit is skipped without buffering it, and the next one is complete", async () => {
  const mbox = `${LINE}\nSubject: a\n\n${"long ".repeat(40_000)}\n\n${LINE}\nSubject: b\n\ntwo\n`;
  const found = await split([Buffer.from(mbox)], 1000);
  assert.deepEqual(
    found.map(({ text }) => text),
    [undefined, "Subject: b\n\ntwo\n"],
  );
  assert.equal(found[0]?.end, found[1]?.start);
});

test("a byte order mark and blank lines at the start are skipped", async () => {
  assert.deepEqual(await texts(`\xef\xbb\xbf\n\n${LINE}\nSubject: a\n\none\n`), ["Subject: a\n\none\n"]);
});

test("an empty file, or blank lines alone, has no message", async () => {
  assert.deepEqual(await texts(""), []);
  assert.deepEqual(await texts("\n\r\n\n"), []);
});

/** Long lines force the splitter to decide before the file ends. */
const line = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(LINE, LINE, "From - ", "From a@b", ">From x", "From Russia") },
  { weight: 8, arbitrary: fc.constantFrom("Subject: s", "A: b", "", "", "", "\r", "text") },
  { weight: 3, arbitrary: fc.nat(400).map((length) => `Content-Length: ${length}`) },
  { weight: 6, arbitrary: fc.nat(6000).map((length) => "x".repeat(length)) },
);

const counted = fc.array(line, { maxLength: 8 }).map((lines) => {
  const body = [LINE, "A: b", "x".repeat(5000), ...lines].join("\n");
  return `${LINE}\nContent-Length: ${body.length}\n\n${body}\n`;
});

test("any chunking gives the same messages, and together they cover the file", async () => {
  const mbox = fc
    .array(fc.oneof({ weight: 5, arbitrary: line }, { weight: 1, arbitrary: counted }), { maxLength: 50 })
    .map((lines) => Buffer.from([LINE, ...lines].join("\n")));
  const property = async (bytes: Buffer, size: number, max: number) => {
    const whole = await split([bytes], max);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    assert.deepEqual(await split(chunks, max), whole);
    for (const [at, { start }] of whole.entries()) {
      const rest = await split([bytes.subarray(start)], max, start);
      assert.deepEqual(rest, whole.slice(at), "reading on from a message gives the rest");
      const gap = bytes.subarray(whole[at - 1]?.end ?? 0, start).toString();
      assert.match(gap, /^[\r\n]*$/, "only blank lines are between messages");
    }
  };
  const size = fc.oneof(fc.integer({ min: 1, max: 97 }), fc.integer({ min: 1, max: 9000 }));
  await fc.assert(fc.asyncProperty(mbox, size, fc.constantFrom(MAX, 120), property), { numRuns: 200 });
});

const corpus = new URL(
  "../../../../../shared/corpora/mime/mimekit/UnitTests/TestData/mbox/",
  import.meta.url,
);

test("the messages of real mailboxes begin at their known offsets", {
  skip: !existsSync(corpus),
}, async () => {
  for (const [name, count] of [
    ["content-length", 29],
    ["issue1189", 4],
  ] as const) {
    const unix = readFileSync(new URL(`${name}.mbox.txt`, corpus));
    const dos = Buffer.from(unix.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
    for (const [kind, bytes] of [
      ["unix", unix],
      ["dos", dos],
    ] as const) {
      const known: { mboxMarkerOffset: number }[] = JSON.parse(
        readFileSync(new URL(`${name}.${kind}-offsets.json`, corpus), "utf8"),
      );
      const found = await split([bytes]);
      assert.equal(found.length, count);
      assert.deepEqual(
        found.map(({ start }) => start),
        known.map(({ mboxMarkerOffset }) => mboxMarkerOffset),
      );
    }
  }
  const counts = { simple: 3, unmunged: 2 };
  for (const [name, count] of Object.entries(counts)) {
    assert.equal((await split([readFileSync(new URL(`${name}.mbox.txt`, corpus))])).length, count, name);
  }
});
