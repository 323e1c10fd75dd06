import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { createFileSet } from "../files/file-set.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles, type Reading, readAll } from "../read-all.test.ts";
import { contacts } from "./contacts.ts";

const card = (...lines: readonly string[]): string => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n");

const read = (content: string | Uint8Array): Promise<Reading> => readAll(contacts, { "people.vcf": content });

async function readOne(content: string | Uint8Array) {
  const { stream, rejected } = await read(content);
  assert.deepEqual(rejected, []);
  return [...stream("contacts").values()][0]!;
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1").toString("base64");

test("a card of version 4 has its names, numbers, addresses and texts", async () => {
  const data = await readOne(
    card(
      "VERSION:4.0",
      "UID:urn:uuid:1",
      "FN:Dr. Jane Doe",
      "N:Doe;Jane;Ann,Beth;Dr.;",
      "NICKNAME:JD,Janie",
      "EMAIL;TYPE=work;PREF=1:jane@example.com",
      'TEL;VALUE=uri;TYPE="voice,home":tel:+1-555-0100',
      "ADR;TYPE=home:;;1 Main St\\, rear;Springfield;IL;12345;USA",
      "ORG:Example\\, Inc.;Research",
      "TITLE:Engineer",
      "BDAY:--0412",
      "NOTE:Line one\\nline two\\, end",
      "URL:https://jane.example",
      "CATEGORIES:friends,work",
      "REV:20240501T100000Z",
      'X-FUTURE;X-P="a,b":opaque',
      `PHOTO:data:image/png;base64,${PNG}`,
    ),
  );
  const { photo, ...rest } = data;
  assert.deepEqual(rest, {
    id: "urn:uuid:1",
    uid: "urn:uuid:1",
    name: "Dr. Jane Doe",
    name_parts: { family: "Doe", given: "Jane", additional: "Ann, Beth", prefix: "Dr." },
    nicknames: ["JD", "Janie"],
    emails: [{ address: "jane@example.com", label: "work" }],
    phones: [{ number: "+1-555-0100", label: "home" }],
    addresses: [
      {
        street: "1 Main St, rear",
        city: "Springfield",
        region: "IL",
        postal_code: "12345",
        country: "USA",
        label: "home",
      },
    ],
    organization: "Example, Inc., Research",
    title: "Engineer",
    birthday: "--04-12",
    notes: "Line one\nline two, end",
    urls: [{ url: "https://jane.example" }],
    categories: ["friends", "work"],
    updated_at: "2024-05-01T10:00:00.000Z",
    other: [{ name: "x-future", value: "opaque" }],
  });
  assert.deepEqual((photo as { mime_type: string }).mime_type, "image/png");
});

suite("a card of version 2.1", () => {
  test("has quoted text in any charset, over several lines", async () => {
    const data = await readOne(
      card(
        "VERSION:2.1",
        "N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:D=FCrer;Albrecht",
        "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Albrecht D=C3=BC=\r\nrer",
        "NOTE;QUOTED-PRINTABLE;CHARSET=UTF-8:one=0D=0Atwo =\r\n three=3D3",
        "TEL;CELL;VOICE:+49 1",
        "ADR;HOME:;;Stra\u00dfe 1;N\u00fcrnberg",
      ),
    );
    assert.deepEqual(
      [data.name, data.name_parts, data.notes, data.phones, data.addresses],
      [
        "Albrecht D\u00fcrer",
        { family: "D\u00fcrer", given: "Albrecht" },
        "one\ntwo three=3",
        [{ number: "+49 1", label: "cell" }],
        [{ street: "Stra\u00dfe 1", city: "N\u00fcrnberg", label: "home" }],
      ],
    );
  });

  test("has a picture over indented lines, and text in the charset that it declares", async () => {
    const bytes = Buffer.from(
      card(
        "VERSION:2.1",
        "FN;CHARSET=windows-1252:Ren\u00e9",
        `PHOTO;PNG;ENCODING=BASE64:\r\n ${PNG.slice(0, 8)}\r\n ${PNG.slice(8)}\r\n`,
      ),
      "latin1",
    );
    const { name, photo } = await readOne(bytes);
    assert.deepEqual([name, (photo as { size_bytes: number }).size_bytes], ["Ren\u00e9", 12]);
  });
});

suite("a card of version 3", () => {
  test("has Apple's labels, and a picture whose type comes from its bytes", async () => {
    const data = await readOne(
      card(
        "VERSION:3.0",
        "FN:Alice",
        "item1.EMAIL;type=INTERNET;type=pref:a@example.com",
        "item1.X-ABLabel:_$!<Home>!$_",
        "item2.TEL;type=CELL:+1",
        "item2.X-ABLabel:Boat",
        "EMAIL;type=INTERNET,WORK:b@example.com",
        "X-ABUID:abc:ABPerson",
        `PHOTO;ENCODING=b;TYPE=JPEG:${PNG}`,
      ),
    );
    assert.equal(data.id, "abc:ABPerson");
    assert.deepEqual(data.emails, [
      { address: "a@example.com", label: "Home" },
      { address: "b@example.com", label: "work" },
    ]);
    assert.deepEqual(data.phones, [{ number: "+1", label: "Boat" }]);
    assert.equal((data.photo as { mime_type: string }).mime_type, "image/png");
  });

  test("may link to a picture, which is not downloaded", async () => {
    const { photo, photo_url } = await readOne(
      card("VERSION:3.0", "FN:A", "PHOTO;VALUE=URI:https://x.example/a.png"),
    );
    assert.deepEqual([photo, photo_url], [undefined, "https://x.example/a.png"]);
  });
});

test("a card is named by its full name, its name parts, its organization, an address or a number", async () => {
  const name = async (...lines: string[]) => (await readOne(card("VERSION:3.0", ...lines))).name;
  assert.equal(await name("FN: ", "N:Doe;Jane;;Dr.;"), "Dr. Jane Doe");
  assert.equal(await name("ORG:Acme;Sales", "TEL:1"), "Acme, Sales");
  assert.equal(await name("EMAIL:a@example.com"), "a@example.com");
  assert.equal(await name("TEL:+1"), "+1");
});

test("cards are keyed by UID or digest, with a number when two cards share one", async () => {
  const same = card("VERSION:3.0", "FN:A");
  const { stream } = await read(
    same + same + card("UID:1", "FN:B") + card("UID:1", "FN:C") + card("UID:1", "FN:B"),
  );
  const keys = [...stream("contacts").keys()];
  assert.match(keys[0]!, /^[0-9a-f]{64}$/);
  assert.deepEqual(keys.slice(1), ["1", "1~2"]);
});

test("broken lines and cards are rejected by their place, and the rest is read", async () => {
  const { stream, rejected } = await read(
    card("VERSION:3.0", "FN:A", "secret without colon") +
      card("VERSION:3.0") +
      "BEGIN:VCARD\r\nFN:cut\r\n" +
      card("FN:B"),
  );
  assert.deepEqual(
    [...stream("contacts").values()].map(({ name }) => name),
    ["A", "B"],
  );
  assert.deepEqual(
    rejected.map(({ place, reason }) => [place, reason]),
    [
      ["people.vcf, line 4", "The line cannot be read; the rest of its card was."],
      ["people.vcf, line 6", "Not a contact: it has no name, organization, address or number."],
      ["people.vcf, line 9", "A VCARD has no END line."],
    ],
  );
});

test("a line too long to hold is rejected by its place, and the rest of its card is read", async () => {
  const { stream, rejected } = await read(card("FN:A", `NOTE:${"x".repeat(33 * 1024 ** 2)}`, "TEL:+1"));
  assert.deepEqual(
    [...stream("contacts").values()].map(({ name, phones }) => [name, phones]),
    [["A", [{ number: "+1" }]]],
  );
  assert.deepEqual(
    rejected.map(({ place }) => place),
    ["people.vcf, line 3"],
  );
});

test("a file that fails in the middle is rejected, and the next is read", async () => {
  const source = (path: string, fails: boolean) => ({
    path,
    size_bytes: 1000,
    async *read(from_bytes: number, to_bytes: number) {
      yield Buffer.from(card("UID:1", "FN:A") + card(`UID:${path}`, "FN:B")).subarray(from_bytes);
      if (fails && to_bytes > 2000) throw new Error("EIO");
    },
  });
  const files = createFileSet({ name: "f", sources: [source("a.vcf", true), source("b.vcf", false)] });
  const { stream, rejected } = await readAll(contacts, files);
  assert.deepEqual([...stream("contacts").keys()], ["1", "b.vcf"]);
  assert.deepEqual(
    rejected.map(({ place }) => place),
    ["a.vcf"],
  );
});

test("reading resumes after any checkpoint and gives the rest", async () => {
  const files = {
    "a.vcf": card("FN:A", "bad") + card("FN:B"),
    "b.vcf": card("FN:A", "UID:1"),
    "c.txt": "no",
  };
  const whole = (await readAll(contacts, files)).items;
  assert.equal(whole.length, 5);
  for (const [at, { checkpoint }] of whole.entries()) {
    assert.deepEqual((await readAll(contacts, files, checkpoint)).items, whole.slice(at + 1));
  }
});

test("contacts are detected by their first line", async () => {
  const matches = (content: string) =>
    matchesFiles(contacts, createMemoryFiles("x", { "any.name": content }));
  assert.deepEqual(
    await Promise.all(["BEGIN:VCARD\r\n", "\n\nbegin:vcard\n", "BEGIN:VCALENDAR", "x"].map(matches)),
    [true, true, false, false],
  );
});

const corpus = new URL("../../../../../shared/corpora/vcard/", import.meta.url);

test("cards of other programs are all read", { skip: !existsSync(corpus) }, async () => {
  const names = readdirSync(corpus).filter((name) => name.endsWith(".vcf"));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, corpus))]));
  const { stream, rejected } = await readAll(contacts, files);
  assert.deepEqual([names.length, stream("contacts").size, rejected], [5, 5, []]);
  const cards = [...stream("contacts").values()];
  const french = cards.find(({ name }) => name === "Ren\u00e9 Dupont");
  assert.deepEqual(french?.phones, [{ number: "+33612345678", label: "cell" }]);
  const apple = cards.find(({ id }) => id === "synthetic-apple-uid");
  assert.deepEqual(apple?.phones, [{ number: "+12025550123", label: "iPhone" }]);
});
