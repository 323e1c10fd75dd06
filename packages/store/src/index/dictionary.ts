/** Reads the terms of a partition's dictionary: for prefixes, inflected forms and near spellings. */
import { BlockCursor } from "./block.ts";
import type { BlockReader, IndexSegment } from "./block-reader.ts";
import { compareBytes } from "./bytes.ts";
import { afterPrefix, dictionaryKey, encodeTerm, markerKey, readDictionaryTerm } from "./keys.ts";

/** The distinct terms that begin with any of `prefixes`, in byte order. A term's documents may all be deleted. */
export async function listDictionaryTerms(
  blocks: BlockReader,
  segments: readonly IndexSegment[],
  prefixes: readonly string[],
): Promise<string[][]> {
  if (prefixes.length === 0) return [];
  const bounds = prefixes.map((prefix) => {
    const from = dictionaryKey(encodeTerm(prefix));
    return { from, to: afterPrefix(from) };
  });
  const ranges = bounds.flatMap((bound) => segments.map(({ id }) => ({ segment: id, ...bound })));
  const bodies = await blocks.ranges(ranges);
  const found = prefixes.map(() => new Set<string>());
  for (const [at, some] of bodies.entries()) {
    const { from, to } = ranges[at] as (typeof ranges)[number];
    const terms = found[Math.floor(at / segments.length)] as Set<string>;
    for (const body of some) addTerms(body, from, to, terms);
  }
  return found.map((terms) => [...terms].sort(compareTerms));
}

/** The language markers in the dictionary. */
export async function listMarkers(
  blocks: BlockReader,
  segments: readonly IndexSegment[],
): Promise<ReadonlySet<string>> {
  const from = markerKey();
  const to = afterPrefix(from);
  const bodies = await blocks.ranges(segments.map(({ id }) => ({ segment: id, from, to })));
  const found = new Set<string>();
  for (const body of bodies.flat()) addTerms(body, from, to, found);
  return found;
}

function addTerms(body: Uint8Array, from: Uint8Array, to: Uint8Array, terms: Set<string>): void {
  const cursor = new BlockCursor(body);
  while (cursor.next()) {
    const { key, keyLength } = cursor;
    if (compareBytes(key, keyLength, from, from.length) < 0) continue;
    if (compareBytes(key, keyLength, to, to.length) >= 0) return;
    terms.add(readDictionaryTerm(key, keyLength));
  }
}

/** Compares by code points, which is the order of UTF-8 bytes. */
function compareTerms(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
