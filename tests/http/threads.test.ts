import assert from "node:assert/strict";
import { test } from "node:test";
import { GRANTED_FIELDS, type Json, onEveryEngine } from "../../testing/world.ts";

const notes = "/v1/streams/notes/records";
const listIds = ({ data }: Json) => data.map(({ id }: Json) => id);

onEveryEngine((world) => {
  test("R66 a thread is read around a record, in order, and continues in both directions", async () => {
    const middle = await world().json(`${notes}/n14/thread?before=2&after=1`);
    assert.deepEqual(listIds(middle), ["n12", "n13", "n14", "n15"]);
    const { anchor, in_thread, has_before, has_after } = middle;
    assert.deepEqual(
      { anchor, in_thread, has_before, has_after },
      { anchor: "home/notes:n14", in_thread: true, has_before: true, has_after: true },
    );
    assert.equal("secret" in middle.data[0].data, false);
    assert.deepEqual(middle.before, {
      operation: "read_thread",
      args: { id: "home/notes:n12", before: 2, after: 0 },
    });
    const follow = ({ args: { id, before, after } }: Json) =>
      world().json(`${notes}/${id.split(":")[1]}/thread?before=${before}&after=${after}`);
    const earlier = await follow(middle.before);
    assert.deepEqual([listIds(earlier), "before" in earlier], [["n10", "n11", "n12"], false]);
    const later = await follow(middle.after);
    assert.deepEqual(listIds(later), ["n15", "n16"]);
    const near = await world().json(`${notes}/n14/thread`);
    assert.equal(near.data.length, 7, "three on either side when not asked otherwise");
  });

  test("R66 the reach of a thread read is limited", async () => {
    for (const reach of ["before=51", "after=51", "before=-1", "after=x"]) {
      const { code, status } = await world().refusal(`${notes}/n14/thread?${reach}`);
      assert.deepEqual([code, status], ["invalid_request", 400], reach);
    }
  });

  test("R51 R66 without the thread's field or the time, a record is alone and hits show no thread", async () => {
    for (const hidden of ["topic", "written_at"]) {
      const fields = GRANTED_FIELDS.filter((name) => name !== hidden);
      const { token } = await world().allow([
        { name: "notes", instance_ids: ["home"], fields, resources: undefined },
      ]);
      const { in_thread, data } = await world().json(`${notes}/n14/thread`, token);
      assert.deepEqual([in_thread, listIds({ data })], [false, ["n14"]], hidden);
      const page = await world().json("/v1/search?q=%22number+14%22", token);
      assert.equal("thread" in page.data[0], false);
    }
  });

  test("R66 a hit in a thread has the call that reads around it, others have none", async () => {
    const { data } = await world().json("/v1/search?q=%22number+14%22");
    assert.deepEqual(data[0].thread, { operation: "read_thread", args: { id: "home/notes:n14" } });
    const other = await world().json("/v1/search?q=%22number+25%22");
    assert.equal(other.data[0].record_id, "n25");
    assert.equal("thread" in other.data[0], false);
  });

  test("R55 R66 each record of a thread is in the audit log", async () => {
    await world().json(`${notes}/n14/thread?before=1&after=1`);
    const rows = await world().store.listAudit(world().owner_id, { limit: 3 });
    assert.deepEqual(rows.map(({ record_id }) => record_id).sort(), ["n13", "n14", "n15"]);
  });
});
