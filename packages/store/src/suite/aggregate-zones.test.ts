import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { AggregateRequest } from "../store.ts";

const COUNT: AggregateRequest = {
  connection_id: "mail",
  stream: "messages",
  metric: "count",
  order: "group",
  limit: 100,
};

testOnEachEngine(
  "a time zone decides where days begin, summer time and half hours included",
  async ({ store }) => {
    await createOwner(store);
    const times = {
      winter: "2026-01-31T23:30:00Z",
      spring: "2026-03-29T00:59:00Z",
      summer: "2026-03-29T01:01:00Z",
      sunday: "2026-04-05T22:15:00Z",
    };
    await ingest(
      store,
      Object.entries(times).map(([id, sent_at]) => message(id, { sent_at })),
    );
    const by = async (time_bucket: AggregateRequest["time_bucket"], time_zone?: string) =>
      (await store.aggregate(scopeOver(), { ...COUNT, time_bucket, time_zone })).groups.map(
        ({ group, record_count }) => [group, record_count],
      );
    assert.deepEqual(await by("month", "Europe/Berlin"), [
      ["2026-02", 1],
      ["2026-03", 2],
      ["2026-04", 1],
    ]);
    assert.deepEqual(await by("hour", "Europe/Berlin"), [
      ["2026-02-01T00", 1],
      ["2026-03-29T01", 1],
      ["2026-03-29T03", 1],
      ["2026-04-06T00", 1],
    ]);
    assert.deepEqual(await by("week", "Europe/Berlin"), [
      ["2026-01-26", 1],
      ["2026-03-23", 2],
      ["2026-04-06", 1],
    ]);
    assert.deepEqual(await by("minute", "Asia/Kathmandu"), [
      ["2026-02-01T05:15", 1],
      ["2026-03-29T06:44", 1],
      ["2026-03-29T06:46", 1],
      ["2026-04-06T04:00", 1],
    ]);
    assert.deepEqual(await by("quarter"), [
      ["2026-Q1", 3],
      ["2026-Q2", 1],
    ]);
    assert.deepEqual(await by("week"), [
      ["2026-01-26", 1],
      ["2026-03-23", 2],
      ["2026-03-30", 1],
    ]);
  },
);
