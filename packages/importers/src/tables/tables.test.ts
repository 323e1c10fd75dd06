import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { splitLines } from "@rungs/contract";
import fc from "fast-check";
import { createMemoryFiles } from "../files/memory-files.ts";
import { createRowEndFinder } from "./csv-rows.ts";
import { importTable, listRecords, shapesOf } from "./import-table.test.ts";

suite("a table of CSV", () => {
  const csv = [
    'id, name ,amount,paid_on,code,active,"note, if any"',
    '7,Tea,3.5,2024-01-02,007,true,"two',
    'lines and ""quotes"""',
    "",
    '8,Kaffee,4,2024-02-03,008,FALSE,5" pipe',
    "9,牛乳,,2024-02-04,,,",
  ].join("\r\n");

  test("is detected by its rows, and its columns are typed by their values", async () => {
    const { manifest, items } = await importTable(createMemoryFiles("spend.csv", { "spend.csv": csv }));
    assert.deepEqual(shapesOf(manifest), {
      id: "integer",
      name: "string",
      amount: "number",
      paid_on: "date",
      code: "string",
      active: "boolean",
      "note_ if any_7c8064": "string",
    });
    const [stream] = manifest.streams;
    assert.deepEqual([stream?.primary_key, stream?.consent_time_field], [["id"], "paid_on"]);
    assert.deepEqual(listRecords(items), [
      [
        "7",
        {
          id: 7,
          name: "Tea",
          amount: 3.5,
          paid_on: "2024-01-02",
          code: "007",
          active: true,
          "note_ if any_7c8064": 'two\r\nlines and "quotes"',
        },
      ],
      [
        "8",
        {
          id: 8,
          name: "Kaffee",
          amount: 4,
          paid_on: "2024-02-03",
          code: "008",
          active: false,
          "note_ if any_7c8064": '5" pipe',
        },
      ],
      ["9", { id: 9, name: "牛乳", paid_on: "2024-02-04" }],
    ]);
  });

  test("may use another delimiter, another encoding and no header; the row's number is then the key", async () => {
    const western = Buffer.from("2024-01-01;K\xe4se;1\n2024-01-02;Tee;2\n", "latin1");
    const { manifest, items } = await importTable(createMemoryFiles("a", { a: western }));
    assert.deepEqual(manifest.streams[0]?.primary_key, ["row"]);
    assert.deepEqual(listRecords(items)[0], [
      "1",
      { row: 1, column_1: "2024-01-01", column_2: "Käse", column_3: 1 },
    ]);
    const sixteen = Buffer.from("\ufeffid\tname\r\n1\tä\r\n2\tö\r\n", "utf16le");
    const wide = await importTable(createMemoryFiles("b", { b: sixteen }));
    assert.deepEqual(listRecords(wide.items), [
      ["1", { id: 1, name: "ä" }],
      ["2", { id: 2, name: "ö" }],
    ]);
  });

  test("is read in the charset detected from its letters: Shift_JIS", async () => {
    const hex =
      "93fa95742c934597760a323032342d30312d30312c93648b4391e382c6908593b991e382cc8e7895a582a20a323032342d30312d30322c89c692c082cc88f882ab978e82c682b582c582b70a323032342d30312d30332c89ef8b6382cc8b638e96985e82f08a6d944682b582c482ad82be82b382a20a";
    const { items } = await importTable(createMemoryFiles("a", { "a.csv": Buffer.from(hex, "hex") }));
    const values = listRecords(items).map(([, data]) => Object.values(data as object));
    assert.deepEqual(values[1], ["2024-01-02", "家賃の引き落としです", 2]);
  });

  test("rejects an unreadable row alone, with the reason", async () => {
    const rows = Array.from({ length: 20 }, (_, at) => `${at},x\n`).join("");
    const later = await importTable(createMemoryFiles("a", { a: `id,b\n${rows}20,y,z,z\n21,w\n` }));
    assert.deepEqual(
      later.items.filter((item) => item.kind === "rejected").map(({ place, reason }) => [place, reason]),
      [["a, row 21", "It has 4 fields, and the table has 2 columns."]],
    );
    assert.equal(listRecords(later.items).length, 21);
  });

  test("splits into the same rows however its bytes are chunked", async () => {
    const cell = fc.stringMatching(/^[a",\n\r ]{0,6}$/);
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
    const size = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(table, size, async (rows, size) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const lines = rows.map((cells) => cells.map(quote).join(","));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const pieces = async function* () {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        };
        const findEnd = createRowEndFinder("\n", ",");
        const split = await Array.fromAsync(splitLines(pieces(), { max_bytes: 1000, findEnd }));
        assert.deepEqual(
          split.map(({ bytes }) => bytes && Buffer.from(bytes).toString()),
          lines,
        );
      }),
    );
  });
});

suite("a table of JSON", () => {
  const lines =
    '{"id":"a","n":1,"sent_at":"2024-01-01T00:00:00Z","text":"hi"}\nnonsense\n{"id":"b","n":1.5,"x":null,"deep":{"y":[1,"\\u0000"]}}\n{"n":2}\n';

  test("has a row on each line; a broken one is rejected alone", async () => {
    const { manifest, items } = await importTable(createMemoryFiles("l", { l: lines }));
    assert.deepEqual(shapesOf(manifest), {
      row: "integer",
      id: "string",
      n: "number",
      sent_at: "date-time",
      text: "string",
      x: "string",
      deep: "object",
    });
    assert.equal(manifest.streams[0]?.consent_time_field, "sent_at");
    assert.deepEqual(
      items.map((item) => (item.kind === "record" ? item.data.row : item.reason)),
      [1, "It is not valid JSON.", 3, 4],
    );
    assert.deepEqual(listRecords(items)[1]?.[1], { row: 3, id: "b", n: 1.5, deep: { y: [1, ""] } });
  });

  test("has a row for each object of a list", async () => {
    const { items } = await importTable(
      createMemoryFiles("j", { j: '[ {"id":"a","v":[1]}, 5, {"id":"b","v":{}} ]' }),
    );
    assert.deepEqual(listRecords(items), [
      ["a", { id: "a", v: [1] }],
      ["b", { id: "b", v: {} }],
    ]);
    assert.equal(items[1]?.kind, "rejected");
  });
});
