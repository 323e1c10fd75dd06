/** The values that a condition sees, however they are written, listed or masked. */
import assert from "node:assert/strict";
import type { Condition, StreamScope } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { copyAll, grantWith } from "../../../../testing/store/masked-copies.ts";
import { createOwner, ingest, message, OWNER, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

async function listIds(store: Store, limits: Partial<StreamScope>): Promise<string> {
  const request = { connection_id: "mail", stream: "messages", order: "asc" as const, limit: 100 };
  const { records } = await store.listRecords(scopeOver("messages", limits), request);
  return records.map(({ record_id }) => record_id).join(" ");
}

const is = (field: string, value: string | number): Condition => ({ field, op: "equals", value });

testOnEachEngine("R81 an address is found in every form in which mail has it", async ({ store }) => {
  await createOwner(store);
  const forms = [
    "zoe@clinic.example",
    " Zoe@Clinic.example ",
    "<zoe@clinic.example>",
    'Zoe "Doc" Berg <zoe@clinic.example>',
    '"Zoe \\"Doc\\" Berg" <zoe@clinic.example>',
    "Zoe <doc> Berg <zoe@clinic.example>",
    "Berg, Zoe <zoe@clinic.example> (at work)",
    "zoe@clinic.example (Zoe)",
    "mailto:zoe@clinic.example",
    "ann@home.example, zoe@clinic.example",
    "ann@home.example; zoe@clinic.example",
    "Ann <ann@home.example>, Zoe <zoe@clinic.example>",
    "Ann <ann@home.example>, zoe@clinic.example",
    "zoe@clinic.example; Ann <ann@home.example>",
    "zoe\u200b@clinic\u00ad.example",
    "ｚｏｅ@clinic.example",
  ];
  const others = ["zoe@clinic.example.org", "to zoe@clinic.example", "clinic.example", "zoe@home.example"];
  await ingest(
    store,
    [...forms, ...others].flatMap((form, at) => [
      message(`from${at}`, { from: { name: form } }),
      message(`list${at}`, { parts: [{ kind: "x" }, { kind: form }] }),
    ]),
  );
  const expected = (name: string) => forms.map((_, at) => `${name}${at}`).sort();
  for (const value of ["zoe@clinic.example", "@clinic.example"])
    for (const [field, name] of [
      ["from", "from"],
      ["parts", "list"],
    ] as const) {
      const found = await listIds(store, { where: [is(field, value)] });
      assert.deepEqual(found.split(" ").sort(), expected(name), `${field} ${value}`);
    }
  await ingest(store, [message("coded", { from: { address: "zoe@xn--mnchen-3ya.example" } })]);
  assert.equal(await listIds(store, { where: [is("from", "@münchen.example")] }), "coded");
});

testOnEachEngine(
  "R80 text compares regardless of case, width and invisible characters",
  async ({ store }) => {
    await createOwner(store);
    const labels = [
      "STRASSE",
      "Straße",
      "İstanbul",
      "ISTANBUL",
      "ｔａｘ",
      " tax ",
      "ta\u00adx",
      "",
      "ΟΔΟΣ",
      "οδοσ",
    ];
    await ingest(
      store,
      labels.map((label, at) => message(String(at), { label })),
    );
    for (const [value, ids] of [
      ["straße", "0 1"],
      ["istanbul", "2 3"],
      ["TAX", "4 5 6"],
      ["", "7"],
      ["οδος", "8 9"],
    ] as const)
      assert.equal(await listIds(store, { where: [is("label", value)] }), ids, value);
  },
);

testOnEachEngine(
  "R80 R81 a condition may have the maximum number of values, of every kind",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { label: "Tax", size_bytes: 7, sent_at: "2026-01-01T01:00:00+01:00" }),
      message("b", { label: "roof", size_bytes: 8, sent_at: "2026-01-02T00:00:00Z" }),
    ]);
    const many = Array.from({ length: 999 }, (_, at) => at + 1_000);
    const texts = [...many.map((at) => `other ${at}`), "tAX"];
    const times = [...many.map((at) => new Date(at * 1e9).toISOString()), "2026-01-01T00:00:00Z"];
    for (const [field, values] of [
      ["label", texts],
      ["size_bytes", [...many, 7]],
      ["sent_at", times],
    ] as const) {
      assert.equal(await listIds(store, { where: [{ field, op: "in", values: [...values] }] }), "a", field);
      assert.equal(
        await listIds(store, { where: [{ field, op: "not_in", values: [...values] }] }),
        "b",
        field,
      );
    }
    const conditions = texts.flatMap((text) => [is("label", text), is("from", text), is("code", text)]);
    assert.equal(await listIds(store, { never: { conditions, record_ids: [] } }), "b");
  },
);

testOnEachEngine("R81 a number is found however many values a record has", async ({ store }) => {
  await createOwner(store);
  const parts = Array.from({ length: 1_500 }, (_, size) => ({ size }));
  await ingest(store, [message("a", { parts })]);
  assert.equal(await listIds(store, { where: [is("parts", 1_499)] }), "a");
  assert.equal(await listIds(store, { never: { conditions: [is("parts", 1_499)], record_ids: [] } }), "");
});

testOnEachEngine("R80 R81 R82 numbers and times compare as they are, masked or not", async ({ store }) => {
  await createOwner(store);
  const fields = ["amount", "due", "parts"];
  const masks = { fields, kinds: ["card" as const], expressions: ["2026-01-..", "^7{6}$"] };
  const paid = (id: string) =>
    message(id, { amount: 4111111111111111, due: "2026-01-05", parts: [{ size: 777777 }] });
  await ingest(store, [paid("a"), message("b", { amount: 5, due: "2026-02-02", parts: [{ size: 3 }] })]);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await copyAll(store);
  await ingest(store, [paid("c")]);
  const shown = await store.getRecord(scopeOver("messages", { masks }), {
    connection_id: "mail",
    stream: "messages",
    record_id: "a",
  });
  assert.doesNotMatch(JSON.stringify(shown?.data), /4111|2026-01|7777/);
  const conditions: Condition[] = [
    is("amount", 4111111111111111),
    { field: "amount", op: "range", gt: 100 },
    { field: "due", op: "range", lt: "2026-02-01" },
    is("due", "2026-01-05"),
    is("parts", 777777),
  ];
  for (const condition of conditions) {
    const name = JSON.stringify(condition);
    assert.equal(await listIds(store, { masks, where: [condition] }), "a c", name);
    assert.equal(
      await listIds(store, { masks, never: { conditions: [condition], record_ids: [] } }),
      "b",
      name,
    );
  }
});

testOnEachEngine("R80 R81 R82 a value that a mask leaves out or replaces is present", async ({ store }) => {
  await createOwner(store);
  const masks = { fields: ["amount"], kinds: ["card" as const] };
  const has = (id: string) => message(id, { amount: 4111111111111111, size_bytes: 77 });
  await ingest(store, [has("a"), message("b")]);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await copyAll(store);
  await ingest(store, [has("c"), message("d")]);
  for (const field of ["amount", "size_bytes"]) {
    for (const [op, ids, others] of [
      ["present", "a c", "b d"],
      ["absent", "b d", "a c"],
    ] as const) {
      const never = { conditions: [{ field, op }], record_ids: [] };
      assert.equal(await listIds(store, { masks, where: [{ field, op }] }), ids, `${field} ${op}`);
      assert.equal(await listIds(store, { masks, never }), others, `never ${field} ${op}`);
    }
  }
});
