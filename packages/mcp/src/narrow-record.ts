import type { OutgoingRecord } from "@rungs/contract";
import { parseFieldPath } from "@rungs/evidence";
import { countJson } from "./limits.ts";

/** The top-level fields of a record that fit into `room_bytes` together with its envelope, the smallest first. */
export function chooseFields(record: OutgoingRecord, room_bytes: number): string[] {
  const { data, cuts = [], shapes = [] } = record;
  const sizes = Object.entries(data).map(([name, value]) => {
    const own = [
      ...cuts.filter(({ path }) => parseFieldPath(path)?.[0] === name),
      ...shapes.filter((shape) => shape.name === name),
    ];
    return { name, bytes: countJson({ [name]: value }) + countJson(own) };
  });
  let left = room_bytes - countJson({ ...record, data: {}, cuts: [], shapes: [] });
  const chosen = new Set<string>();
  for (const { name, bytes } of sizes.sort((a, b) => a.bytes - b.bytes)) {
    left -= bytes;
    if (left < 0) break;
    chosen.add(name);
  }
  return Object.keys(data).filter((name) => chosen.has(name));
}
