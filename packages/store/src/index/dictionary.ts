/** Reads the terms of a partition's dictionary: for prefixes, inflected forms and near spellings. */
import { BlockCursor, compareBytes, type IndexSource, readRounds } from "./blocks.ts";
import type { DocFilter } from "./doc-set.ts";
import { afterPrefix, dictionaryKey, encodeTerm, markerKey, readDictionaryTerm } from "./keys.ts";
import { readExtent } from "./list.ts";

/** Which terms of the dictionary to list. A term's documents may all be deleted or outside the filter even so. */
export interface TermFilter {
  /** Terms that some of these fields may have; undefined for any field. */
  readonly fields?: ReadonlySet<number> | undefined;
  /** Terms that some of these documents may have; undefined for any document. */
  readonly docs?: DocFilter | undefined;
}

/** The distinct terms that begin with each of `prefixes` and fit the filter, in byte order. */
export async function listDictionaryTerms(
  source: IndexSource,
  prefixes: readonly string[],
  filter: TermFilter,
): Promise<string[][]> {
  const found = prefixes.map(() => new Set<string>());
  const keys = prefixes.map((prefix) => dictionaryKey(encodeTerm(prefix)));
  await eachTerm(source, keys, filter, (term, number) => found[number]?.add(term));
  return found.map((terms) => [...terms].sort(compareTerms));
}

/** The language markers in the dictionary. */
export async function listMarkers(source: IndexSource): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await eachTerm(source, [markerKey()], {}, (term) => found.add(term));
  return found;
}

/** Visits the terms whose keys begin with each of `keys`; `number` is the index in `keys`. */
async function eachTerm(
  { blocks, segments }: IndexSource,
  keys: readonly Uint8Array[],
  { fields, docs }: TermFilter,
  visit: (term: string, number: number) => void,
): Promise<void> {
  const reads = keys.flatMap((from, number) => {
    const to = afterPrefix(from);
    return segments
      .filter(({ first_doc, last_doc }) => docs?.hasWithin(first_doc, last_doc) ?? true)
      .map(({ id }) => ({
        range: { segment: id, from, to },
        take: (bodies: readonly Uint8Array[]) => {
          let last: Uint8Array | undefined;
          for (const body of bodies) {
            const cursor = new BlockCursor(body);
            let compared = 0;
            while (cursor.next()) {
              const { key, keyLength } = cursor;
              if (compareBytes(key, keyLength, from, from.length) < 0) continue;
              if (compareBytes(key, keyLength, to, to.length) >= 0) break;
              compared += 1;
              if (fits(cursor, fields, docs)) visit(readDictionaryTerm(key, keyLength), number);
            }
            blocks.budget?.spend("terms", compared);
            if (compared > 0) last = cursor.key.slice(0, cursor.keyLength);
          }
          return last;
        },
      }));
  });
  await readRounds(blocks, reads);
}

/** Whether the segment may have the cursor's term in one of the fields of one of the documents. */
function fits(
  { body, valueStart, valueEnd }: BlockCursor,
  fields: TermFilter["fields"],
  docs: TermFilter["docs"],
): boolean {
  if (!fields && !docs) return true;
  const extent = readExtent(body, valueStart, valueEnd);
  if (!extent) return true;
  if (fields && !extent.fields.some((field) => fields.has(field))) return false;
  return docs?.hasWithin(extent.firstDoc, extent.lastDoc) ?? true;
}

/** Compares by code points, which is the order of UTF-8 bytes: surrogates come after all other units. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
