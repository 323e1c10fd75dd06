import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DocSet } from "./doc-set.ts";

const docs = fc.array(fc.oneof(fc.nat(200), fc.nat(60_000), fc.integer({ min: 4_000, max: 4_200 })), {
  maxLength: 200,
});

test("R56 a set of documents behaves like a plain set, in order and in bounded ranges", () => {
  fc.assert(
    fc.property(docs, docs, fc.nat(61_000), fc.nat(9_000), (a, b, first, length) => {
      const [one, other] = [new Set(a), new Set(b)];
      const sorted = (set: Iterable<number>) => [...set].sort((x, y) => x - y);
      const set = DocSet.of(a);
      assert.deepEqual([...set.list()], sorted(one));
      assert.equal(set.size, one.size);
      assert.deepEqual(
        [...set.listLast(length % 50)],
        sorted(one).slice(one.size - Math.min(one.size, length % 50)),
      );
      assert.equal(set.isEmpty, one.size === 0);
      assert.deepEqual([...DocSet.of(a).unite(DocSet.of(b)).list()], sorted(one.union(other)));
      assert.deepEqual([...DocSet.of(a).intersect(DocSet.of(b)).list()], sorted(one.intersection(other)));
      assert.deepEqual([...DocSet.of(a).subtract(DocSet.of(b)).list()], sorted(one.difference(other)));
      const last = first + length;
      const within = sorted(one).filter((doc) => doc >= first && doc <= last);
      assert.equal(set.hasWithin(first, last), within.length > 0);
      const ranges = set.listRanges(first, last);
      assert.ok(ranges.length <= 16);
      assert.ok(
        ranges.every(([from, to], at) => from >= first && to <= last && from > (ranges[at - 1]?.[1] ?? -1)),
      );
      assert.ok(within.every((doc) => ranges.some(([from, to]) => from <= doc && doc <= to)));
    }),
  );
});
