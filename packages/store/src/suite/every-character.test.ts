import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { everyBmpChar, samplesOfEveryPlane } from "../../../../testing/texts.ts";

for (const [what, make] of [
  ["every BMP code point except surrogates", everyBmpChar],
  ["samples of every plane", samplesOfEveryPlane],
] as const) {
  testOnEachEngine(`R22 ${what}, in one text, round-trip`, async ({ store }) => {
    await createOwner(store);
    const text = make();
    const size = Array.from(text).length;
    const payload = { text, list: [text] };
    await ingest(store, [message("a", { body: text, payload, note: text, parts: [{ text }] })]);
    for (const path of ["body", "note", "payload.text", "payload.list[0]", "parts[0].text"]) {
      const slice = await store.readField(scopeOver(), refOf("a"), path, { start: 0, end: size });
      assert.ok(slice?.text === text, path);
    }
    const json = await store.readField(scopeOver(), refOf("a"), "payload", { start: 0, end: 9_000_000 });
    assert.ok(json?.text === JSON.stringify(payload));
    assert.deepEqual(await store.check("me"), []);
  });
}

testOnEachEngine("R22 every code point in short values round-trips", async ({ store }) => {
  await createOwner(store);
  const chars = Array.from(everyBmpChar() + samplesOfEveryPlane());
  const pieces = Array.from({ length: Math.ceil(chars.length / 1_000) }, (_, at) =>
    chars.slice(at * 1_000, at * 1_000 + 1_000).join(""),
  );
  await ingest(
    store,
    pieces.map((text, at) =>
      message(`p${at}`, {
        subject: text,
        label: text.slice(0, 100),
        payload: { [`k${text.slice(0, 50)}`]: text },
      }),
    ),
  );
  for (const [at, text] of pieces.entries()) {
    const record = await store.getRecord(scopeOver(), refOf(`p${at}`));
    assert.ok(record?.data.subject === text, `piece ${at}`);
    assert.ok(record?.data.label === text.slice(0, 100), `piece ${at}`);
    assert.deepEqual(Object.values(record?.data.payload as object), [text]);
  }
});

testOnEachEngine("R10 words of every script around every character are found", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { body: `start ${everyBmpChar()} finish`, note: `alpha ${samplesOfEveryPlane()} omega` }),
  ]);
  for (const word of ["start", "finish", "alpha", "omega"]) {
    const { hits } = await store.search(scopeOver(), { query: requireQuery(word), limit: 5 });
    const match = hits[0]?.proofs[0]?.matches[0];
    assert.ok(match, word);
    const slice = await store.readField(scopeOver(), refOf("a"), hits[0]?.proofs[0]?.field_path ?? "", {
      start: match.start_chars,
      end: match.end_chars,
    });
    assert.equal(slice?.text, word);
  }
});
