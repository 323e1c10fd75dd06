import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, Grant, GrantStream } from "@rungs/contract";
import { listWidenings } from "./grant-widening.ts";

const STREAM: GrantStream = {
  name: "messages",
  instance_ids: ["mail"],
  fields: ["id", "subject", "sent_at"],
  time_constraint: { field: "sent_at", since: "2026-01-01T00:00:00.000Z", until: "2026-06-01T00:00:00.000Z" },
  resources: ["a", "b"],
  where: [
    { field: "labels", op: "in", values: ["tax", "roof"] },
    { field: "from", op: "not_in", values: ["x"] },
  ],
  masks: { fields: ["subject"], kinds: ["phone"], words: ["falcon"] },
};

function grant(stream: Partial<GrantStream> = {}, over: Partial<Grant> = {}): Grant {
  return {
    version: "0.1.0" as Grant["version"],
    grant_id: "g",
    issued_at: "2026-01-01T00:00:00.000Z",
    subject: { id: "owner" },
    client: { client_id: "agent" },
    access_mode: "continuous",
    purpose_code: "https://pdpp.dev/purpose/assistance",
    expires_at: "2026-12-01T00:00:00.000Z",
    budget: { records: 10 },
    authorization_details: [
      {
        type: "https://pdpp.dev/data-access",
        source: { kind: "connector", id: "urn:x" },
        source_declaration: { version: "1" },
        streams: [{ ...STREAM, ...stream }],
      },
    ],
    ...over,
  };
}

const FROM_X: Condition = { field: "from", op: "not_in", values: ["x"] };
const IN_BOTH: Condition = { field: "labels", op: "in", values: ["tax", "roof"] };

test("R51 a change that narrows widens nothing", () => {
  const narrower: Partial<GrantStream>[] = [
    {},
    { fields: ["id"] },
    { time_constraint: { ...STREAM.time_constraint, field: "sent_at", since: "2026-02-01T00:00:00.000Z" } },
    { resources: ["a"] },
    {
      where: [
        { field: "labels", op: "equals", value: "tax" },
        { field: "from", op: "not_in", values: ["x", "y"] },
      ],
    },
    { where: [...(STREAM.where ?? []), { field: "labels", op: "present" }] },
    { masks: { fields: ["subject", "id"], kinds: ["phone", "email"], words: ["falcon", "heron"] } },
    { fields: ["id"], masks: undefined },
  ];
  for (const each of narrower)
    assert.deepEqual(listWidenings(grant(), grant(each)), [], JSON.stringify(each));
  const sooner = { expires_at: "2026-11-01T00:00:00.000Z", budget: { records: 5, bytes: 1 } };
  assert.deepEqual(listWidenings(grant(), grant({}, sooner)), []);
});

test("R51 names whatever a change adds to the grant", () => {
  const wider: [Partial<GrantStream>, RegExp][] = [
    [{ fields: [...STREAM.fields, "body"] }, /the field body/],
    [{ time_constraint: undefined }, /other times/],
    [{ time_constraint: { ...STREAM.time_constraint, field: "received_at" } }, /other times/],
    [{ resources: undefined }, /other records/],
    [{ resources: ["a", "c"] }, /other records/],
    [{ where: [FROM_X] }, /do not meet labels in/],
    [{ where: [FROM_X, { field: "labels", op: "in", values: ["tax", "other"] }] }, /do not meet labels in/],
    [{ where: [IN_BOTH] }, /do not meet from not in/],
    [{ where: [IN_BOTH, { field: "from", op: "not_in", values: ["y"] }] }, /do not meet from not in/],
    [{ masks: undefined }, /values that were masked/],
    [{ masks: { fields: ["subject"], kinds: ["phone"] } }, /values that were masked/],
    [{ masks: { fields: ["id"], kinds: ["phone"], words: ["falcon"] } }, /values that were masked/],
    [{ instance_ids: ["mail", "other"] }, /^other\/messages$/],
  ];
  for (const [each, words] of wider) {
    const found = listWidenings(grant(), grant(each));
    assert.equal(found.length, 1, JSON.stringify([each, found]));
    assert.match(found[0] ?? "", words);
  }
  assert.deepEqual(listWidenings(grant(), grant({}, { expires_at: undefined })), ["a longer time"]);
  assert.deepEqual(listWidenings(grant(), grant({}, { budget: undefined })), ["more records"]);
});
