import { createHash } from "node:crypto";
import type { ImportedItem, ImportedRecord } from "@rungs/contract";
import { sliceChars } from "@rungs/evidence";

/**
 * Numbers items, so that reading can resume after any of them, and separates records with the same key: equal content is
 * yielded once, other content gets a number. Items before `resume` are read again but not yielded.
 */
export async function* numberItems(
  items: AsyncIterable<ImportedItem>,
  resume: string | undefined,
): AsyncGenerator<ImportedItem> {
  const taken = new Map<string, string>();
  const done = resume === undefined ? 0 : Number(resume);
  let number = 0;
  for await (const item of items) {
    const distinct = item.kind === "record" ? makeDistinct(item, taken) : item;
    if (!distinct) continue;
    number += 1;
    if (number > done) yield { ...distinct, checkpoint: String(number) };
  }
}

function makeDistinct(item: ImportedRecord, taken: Map<string, string>): ImportedRecord | undefined {
  const digest = createHash("sha256").update(JSON.stringify(item.data)).digest("base64");
  for (let copy = 1; ; copy += 1) {
    const key = copy === 1 ? String(item.key) : `${sliceChars(String(item.key), 0, 500)}~${copy}`;
    const before = taken.get(`${item.stream}/${key}`);
    if (before === digest) return undefined;
    if (before !== undefined) continue;
    taken.set(`${item.stream}/${key}`, digest);
    return copy === 1 ? item : { ...item, key, data: { ...item.data, id: key } };
  }
}
