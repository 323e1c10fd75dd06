import assert from "node:assert/strict";
import { test } from "node:test";
import { countJson, fitBoth, fitStructured, leaveOut, STRUCTURED_BYTES } from "./limits.ts";

const items = Array.from({ length: 20 }, (_, at) => ({ at, text: "x".repeat(at * 200) }));

test("R14 R15 a page that is too large is requested again, smaller, and stays the server's own", async () => {
  const asked: number[] = [];
  const ask = async (limit: number) => {
    asked.push(limit);
    return { data: items.slice(0, limit), next_cursor: "c".repeat(limit < 20 ? 300 : 0) };
  };
  const page = await fitStructured(20, ask, (each) => each);
  assert.deepEqual(asked, [20, page.data.length]);
  assert.ok(countJson(page) <= STRUCTURED_BYTES && page.data.length > 5);
});

test("R14 a page that fits is requested once", async () => {
  let asked = 0;
  const ask = async (limit: number) => {
    asked += 1;
    return { data: items.slice(0, limit) };
  };
  await fitStructured(3, ask, (page) => page);
  assert.equal(asked, 1);
});

test("R14 a page whose text has no room for every record is requested again, smaller", async () => {
  const asked: number[] = [];
  const { page, text } = await fitBoth(9, {
    ask: async (limit) => {
      asked.push(limit);
      return { data: Array.from({ length: limit }, (_, at) => `record ${at}`) };
    },
    structure: ({ data }) => ({ results: data.map((id) => ({ id })), content_ladder: { records: [] } }),
    render: ({ data }) => data.slice(0, 4).join("\n"),
  });
  assert.deepEqual([asked, page.data.length, text.split("\n").length], [[9, 4], 4, 4]);
});

const call = (id: string) => ({ operation: "read_record_field", args: { id } });

function structure(id: string, data: string) {
  const results = [{ id, record_id: id, title: "t" }];
  const rung = { id, record_id: id, fields: [{ next: call(id) }, { next: call(id) }], next: call(id) };
  return { results, content_ladder: { records: [rung], next: call("page") }, data };
}

test("R15 an answer that fits is unchanged", () => {
  const small = structure("a", "x");
  assert.equal(leaveOut(small), small);
});

test("R15 an envelope that is too large is left out, and left_out says so", () => {
  const { data: _, ...rest } = structure("a", "");
  assert.deepEqual(leaveOut(structure("a", "x".repeat(20_000))), { ...rest, left_out: ["data"] });
});

test("R02 the longer an id, the fewer of its copies remain; results and the next page always do", () => {
  let before = 0;
  for (const bytes of [100, 1_500, 2_000, 2_500, 5_000]) {
    const id = "k".repeat(bytes);
    const fitted = leaveOut(structure(id, "x".repeat(11_000)));
    const { results, content_ladder, left_out } = fitted as ReturnType<typeof structure> & {
      left_out: string[];
    };
    assert.ok(countJson(fitted) <= STRUCTURED_BYTES);
    assert.equal(results[0]?.id, id);
    assert.deepEqual(content_ladder.next, call("page"));
    assert.ok(left_out.length >= before);
    before = left_out.length;
  }
  assert.equal(before, 4);
});
