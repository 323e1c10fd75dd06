import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { formatFieldPath, requireQuery, valueAt } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { assertRefused } from "./refusals.ts";

const odd = {
  "a.b": "dot",
  "": "empty",
  'q"uote': "quote",
  "sp ace": "space",
  "\u0000": "nul",
  é: "accent",
  "[0]": "index",
};

testOnEachEngine("R26 nested fields and array items have paths", async ({ store }) => {
  await createOwner(store);
  const data = {
    parts: [{ text: "zero" }, { text: "one", parts: [{ text: "one-zero" }] }, { text: "two", size: 3 }],
    payload: { odd, list: [[1, 2], ["x"]], flag: true, nothing: null, number: -1.5 },
  };
  await ingest(store, [message("a", data)]);
  assert.equal(await readWhole(store, "parts[2].text"), "two");
  assert.equal(await readWhole(store, "parts[1].parts[0].text"), "one-zero");
  for (const [name, value] of Object.entries(odd)) {
    assert.equal(await readWhole(store, formatFieldPath(["payload", "odd", name])), value);
  }
  assert.equal(await readWhole(store, "payload.list[1][0]"), "x");
  assert.equal(await readWhole(store, "payload.list[0]"), "[1,2]");
  assert.equal(await readWhole(store, "parts[2].size"), "3");
  assert.equal(await readWhole(store, "payload.flag"), "true");
  assert.equal(await readWhole(store, "payload.number"), "-1.5");
});

testOnEachEngine("R26 a path that leads nowhere, or to null, has no value", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { parts: [{ text: "zero" }], payload: { nothing: null }, subject: null }),
  ]);
  for (const path of [
    "parts[1]",
    "parts[0].none",
    "parts.text",
    "payload[0]",
    "payload.nothing",
    "subject",
    "body",
    "subject.x",
    "none",
  ]) {
    assert.equal(await store.describeField(scopeOver(), refOf("a"), path), undefined, path);
    assert.equal(await store.readField(scopeOver(), refOf("a"), path, { start: 0, end: 9 }), undefined, path);
  }
});

testOnEachEngine(
  "R26 an invalid path is refused, and inherited properties are not values",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { payload: { x: 1 } })]);
    for (const path of ["", ".", "a..b", "parts[-1]", "parts[01]", "[0]", 'payload["x'])
      await assertRefused(
        store.readField(scopeOver(), refOf("a"), path, { start: 0, end: 9 }),
        "invalid_field_path",
      );
    for (const path of ["payload.constructor", "payload.toString", "payload.__proto__", "parts.length"]) {
      assert.equal(
        await store.readField(scopeOver(), refOf("a"), path, { start: 0, end: 9 }),
        undefined,
        path,
      );
    }
  },
);

testOnEachEngine("R26 a grant of a top-level field covers the paths inside it", async ({ store }) => {
  await createOwner(store);
  const long = "z".repeat(9_000);
  await ingest(store, [message("a", { parts: [{ text: long }], payload: { parts: [{ text: long }] } })]);
  const scope = scopeOver("messages", { fields: ["id", "parts"] });
  assert.ok(await store.readField(scope, refOf("a"), "parts[0].text", { start: 0, end: 9 }));
  assert.equal(
    await store.readField(scope, refOf("a"), "payload.parts[0].text", { start: 0, end: 9 }),
    undefined,
  );
  assert.equal(await store.describeField(scope, refOf("a"), "payload"), undefined);
});

testOnEachEngine("R34 large JSON is readable as windows over its serialized text", async ({ store }) => {
  await createOwner(store);
  const payload = { list: Array.from({ length: 2_000 }, (_, at) => ({ at, name: `名前 ${at} 😀` })) };
  const text = JSON.stringify(payload);
  await ingest(store, [message("a", { payload })]);
  const record = await store.getRecord(scopeOver(), refOf("a"));
  assert.equal(record?.data.payload, null);
  const [cut] = record?.cuts ?? [];
  assert.deepEqual(
    { ...cut, head: cut?.head.length },
    {
      path: "payload",
      kind: "json",
      ...factsOf(text),
      head: Array.from(text).slice(0, 1_024).join("").length,
    },
  );
  assert.ok(text.startsWith(cut?.head ?? "-"));
  assert.equal(await readWhole(store, "payload"), text);
  assert.deepEqual(await store.describeField(scopeOver(), refOf("a"), "payload"), {
    kind: "json",
    ...factsOf(text),
  });
});

testOnEachEngine("R34 small JSON is inline, and its text is its serialization", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { payload: ["x", { y: "ü" }] })]);
  assert.deepEqual((await store.getRecord(scopeOver(), refOf("a")))?.data.payload, ["x", { y: "ü" }]);
  assert.deepEqual(await store.describeField(scopeOver(), refOf("a"), "payload"), {
    kind: "json",
    ...factsOf('["x",{"y":"ü"}]'),
  });
});

testOnEachEngine("R26 every string inside a cut container is readable at its own path", async ({ store }) => {
  await createOwner(store);
  const parts = [
    { text: "short" },
    { text: "" },
    { text: "long ".repeat(3_000), parts: [{ text: "deep\u0000\r\n" }, { text: "😀".repeat(5_000) }] },
  ];
  await ingest(store, [message("a", { parts, payload: { ...odd, filler: "f".repeat(5_000) } })]);
  const record = await store.getRecord(scopeOver(), refOf("a"));
  assert.deepEqual(
    record?.cuts.map(({ path, kind }) => [path, kind]),
    [
      ["parts", "json"],
      ["payload", "json"],
    ],
  );
  for (const path of [
    "parts[0].text",
    "parts[1].text",
    "parts[2].text",
    "parts[2].parts[0].text",
    "parts[2].parts[1].text",
  ]) {
    const text = valueAt({ parts }, pathOf(path)) as string;
    assert.deepEqual(
      await store.describeField(scopeOver(), refOf("a"), path),
      { kind: "text", ...factsOf(text) },
      path,
    );
    assert.equal(await readWhole(store, path), text, path);
  }
  for (const [name, value] of Object.entries(odd)) {
    assert.equal(await readWhole(store, formatFieldPath(["payload", name])), value);
  }
});

testOnEachEngine(
  "R26 a number, a flag, a list and an object inside a cut container are readable at their paths",
  async ({ store }) => {
    await createOwner(store);
    const payload = {
      filler: "f".repeat(5_000),
      number: 17,
      flag: false,
      list: [1, "x"],
      object: { y: 2 },
      nothing: null,
    };
    await ingest(store, [message("a", { payload })]);
    for (const [path, text] of [
      ["payload.number", "17"],
      ["payload.flag", "false"],
      ["payload.list", '[1,"x"]'],
      ["payload.list[0]", "1"],
      ["payload.object", '{"y":2}'],
      ["payload.object.y", "2"],
    ] as const) {
      assert.equal(await readWhole(store, path), text, path);
    }
    assert.equal(
      await store.readField(scopeOver(), refOf("a"), "payload.nothing", { start: 0, end: 9 }),
      undefined,
    );
  },
);

testOnEachEngine(
  "R31 a row that would be too long keeps prefixes of its longest values, and all are readable",
  async ({ store }) => {
    await createOwner(store);
    const values = ["subject", "body", "note", "label", "code"].map(
      (name, at) => [name, `${at}`.repeat(4_000)] as const,
    );
    const parts = Array.from({ length: 3 }, () => ({ text: "p".repeat(1_000) }));
    const payload = { text: "q".repeat(4_000) };
    const from = { name: "n".repeat(2_000), address: "d".repeat(2_000) };
    const raw = "r".repeat(4_096);
    await ingest(store, [message("a", { ...Object.fromEntries(values), parts, payload, from, raw })]);
    const record = await store.getRecord(scopeOver(), refOf("a"));
    assert.ok(JSON.stringify(record?.data).length <= 33_000);
    for (const [name, text] of values) {
      const cut = record?.cuts.find(({ path }) => path === name);
      if (cut)
        assert.deepEqual(cut, {
          path: name,
          kind: "text",
          ...factsOf(text),
          head: record?.data[name] as string,
        });
      else assert.equal(record?.data[name], text);
      assert.equal(await readWhole(store, name), text);
    }
    assert.equal(await readWhole(store, "parts[2].text"), "p".repeat(1_000));
    assert.equal(await readWhole(store, "raw"), raw);
  },
);

testOnEachEngine(
  "R26 every path into JSON of 100,000 values works, and only a missing one is missing",
  async ({ store }) => {
    await createOwner(store);
    const list = Array.from({ length: 33_000 }, (_, at) => ({
      t: `漢 ${at}`,
      'q"': at % 9 ? at : 'es"c\n😀',
      n: null,
    }));
    const payload = { list, tail: { deep: [[["end"]]], text: "x".repeat(5_000) } };
    await ingest(store, [message("a", { payload })]);
    for (const at of [0, 1_500, 2_999, 18_000, 32_999]) {
      assert.equal(await readWhole(store, `payload.list[${at}].t`), `漢 ${at}`);
      const other = list[at]?.['q"'];
      assert.equal(await readWhole(store, formatFieldPath(["payload", "list", at, 'q"'])), String(other));
      assert.equal(await readWhole(store, `payload.list[${at}]`), JSON.stringify(list[at]));
    }
    assert.equal(await readWhole(store, "payload.tail.deep[0][0][0]"), "end");
    assert.equal(await readWhole(store, "payload.tail.deep"), '[[["end"]]]');
    assert.equal(await readWhole(store, "payload.tail.text"), "x".repeat(5_000));
    const facts = await store.describeField(scopeOver(), refOf("a"), "payload.list[32999].t");
    assert.deepEqual(facts, { kind: "text", ...factsOf("漢 32999") });
    const found = await store.findInField(
      scopeOver(),
      refOf("a"),
      "payload.list[30000].t",
      requireQuery("30000"),
    );
    assert.deepEqual([found.found, found.facts], [true, { kind: "text", ...factsOf("漢 30000") }]);
    for (const path of [
      "payload.list[33000]",
      "payload.list[30000].n",
      "payload.list[30000].t.x",
      "payload.tail[0]",
      "payload.none",
    ])
      assert.equal(await store.describeField(scopeOver(), refOf("a"), path), undefined, path);
    const scope = scopeOver("messages", { fields: ["subject"] });
    assert.equal(
      await store.readField(scope, refOf("a"), "payload.list[30000].t", { start: 0, end: 9 }),
      undefined,
    );
  },
);

function pathOf(text: string): (string | number)[] {
  return text
    .replaceAll("]", "")
    .split(/[.[]/)
    .map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));
}

async function readWhole(store: Store, path: string): Promise<string | undefined> {
  return (await store.readField(scopeOver(), refOf("a"), path, { start: 0, end: 1_000_000 }))?.text;
}

function factsOf(text: string): { size_chars: number; size_bytes: number; digest: string } {
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return { size_chars: Array.from(text).length, size_bytes: Buffer.byteLength(text), digest };
}
