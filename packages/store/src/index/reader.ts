/**
 * Reads a partition's lists out of its segments, bounded by the ranges asked for. Documents come in rising order; what a
 * document has in several segments is added up. Documents that are gone are left to the caller.
 */
import { BlockCursor } from "./block.ts";
import type { BlockReader, IndexSegment } from "./block-reader.ts";
import { compareBytes } from "./bytes.ts";
import { afterPrefix, encodeTerm, listLength, Section, termListKey } from "./keys.ts";
import { eachPosition, eachPosting, type ListEntry, lastDocOf } from "./list.ts";
import { eachNear, eachOfList } from "./list-ranges.ts";
import { entryAt } from "./list-visitor.ts";
import { PositionSeeker } from "./position-seeker.ts";
import { NumberBuilder, type Postings, PostingsBuilder } from "./postings.ts";

/** Positions in the documents that were asked for: those of document number i are from `starts[i]` to `starts[i + 1]`. */
export interface Positions {
  readonly starts: Uint32Array;
  readonly positions: Uint32Array;
}

/** Positions of documents this far apart are looked up one by one. */
const SEEK_DOCS = 400;
const SCAN_BLOCKS = 16;

export class IndexReader {
  readonly #blocks: BlockReader;
  readonly #segments: readonly IndexSegment[];

  constructor(segments: readonly IndexSegment[], blocks: BlockReader) {
    this.#segments = segments;
    this.#blocks = blocks;
  }

  /** The documents that have `term` in `field`. */
  async postings(term: string, field: number): Promise<Postings> {
    const found = new PostingsBuilder();
    const list = termListKey(encodeTerm(term), field, Section.postings);
    await eachOfList(this.#blocks, this.#segments, list, (entry) => found.addEntry(entry));
    return found.take();
  }

  /** The documents that have a term in `field` that begins with `prefix`. */
  async prefixPostings(prefix: string, field: number): Promise<Postings> {
    const counts = new Map<number, number>();
    await this.#eachOfPrefix(prefix, field, (_term, entry) =>
      eachPosting(entry, (doc, count) => counts.set(doc, (counts.get(doc) ?? 0) + count)),
    );
    const found = new PostingsBuilder();
    for (const doc of Uint32Array.from(counts.keys()).sort()) found.add(doc, counts.get(doc) as number);
    return found.take();
  }

  /** The terms in `field` that begin with `prefix`; with `doc` only those that it has, and no more than `limit`. */
  async expand(
    prefix: string,
    field: number,
    doc?: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<string[]> {
    const terms = new Set<string>();
    await this.#eachOfPrefix(
      prefix,
      field,
      (term, entry) => {
        if (doc === undefined || hasPosting(entry, doc)) terms.add(term);
      },
      () => terms.size < limit,
    );
    return [...terms].slice(0, limit);
  }

  /** The positions of `term` in `field` of one document, to be sought. */
  seekPositions(term: string, field: number, doc: number): PositionSeeker {
    const list = termListKey(encodeTerm(term), field, Section.positions);
    const segments = this.#segments.filter(({ first_doc, last_doc }) => first_doc <= doc && doc <= last_doc);
    return new PositionSeeker(this.#blocks, segments, list, doc);
  }

  /** The positions of `term` in `field` of `docs`, which rises. */
  async positions(term: string, field: number, docs: Uint32Array): Promise<Positions> {
    const starts = new Uint32Array(docs.length + 1);
    const positions = new NumberBuilder();
    let at = 0;
    const wants = (doc: number) => {
      while (at < docs.length && (docs[at] as number) < doc) starts[++at] = positions.length;
      return docs[at] === doc;
    };
    const list = termListKey(encodeTerm(term), field, Section.positions);
    await eachNear(this.#blocks, this.#segments, list, docs, SEEK_DOCS, (entry) =>
      eachPosition(entry, wants, (_doc, position) => positions.add(position)),
    );
    while (at < docs.length) starts[++at] = positions.length;
    return { starts, positions: positions.take() };
  }

  /** The postings in `field` of every term that begins with `prefix`; lists of other fields are stepped over. */
  async #eachOfPrefix(
    prefix: string,
    field: number,
    visit: (term: string, entry: ListEntry) => void,
    wantsMore = () => true,
  ): Promise<void> {
    const start = encodeTerm(prefix);
    const to = afterPrefix(start);
    for (const { id } of this.#segments) {
      let from = start;
      for (;;) {
        const bodies = await this.#blocks.some({ segment: id, from, to }, SCAN_BLOCKS);
        let last: Uint8Array | undefined;
        for (const body of bodies) {
          const cursor = new BlockCursor(body);
          while (cursor.next()) {
            const { key, keyLength } = cursor;
            if (
              compareBytes(key, keyLength, from, from.length) < 0 ||
              compareBytes(key, keyLength, to, to.length) >= 0
            )
              continue;
            const length = listLength(key, keyLength);
            last = key.slice(0, keyLength);
            if (key[length - 1] !== Section.postings || key[length - 2] !== field) continue;
            visit(decodeTerm(key, length - 3), entryAt(cursor, length));
          }
        }
        if (bodies.length < SCAN_BLOCKS || !last || !wantsMore()) break;
        from = nextUseful(last, field);
      }
    }
  }
}

/** After the last key that was read: past its list if that is of no use here. */
function nextUseful(lastKey: Uint8Array, field: number): Uint8Array {
  const length = listLength(lastKey, lastKey.length);
  const list = lastKey.slice(0, length);
  return list[length - 1] === Section.postings && list[length - 2] === field
    ? Uint8Array.of(...lastKey, 0)
    : afterPrefix(list);
}

const decoder = new TextDecoder();

function decodeTerm(key: Uint8Array, length: number): string {
  return decoder.decode(key.subarray(0, length));
}

function hasPosting(entry: ListEntry, wanted: number): boolean {
  if (wanted < entry.firstDoc || wanted > lastDocOf(entry)) return false;
  let found = false;
  eachPosting(entry, (doc) => {
    found ||= doc === wanted;
  });
  return found;
}
