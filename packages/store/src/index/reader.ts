/**
 * Reads a partition's lists from its segments, limited to the requested ranges. Documents come in ascending order, with their
 * frequencies in several segments added up. The caller filters out deleted documents.
 */
import type { BlockReader, IndexSegment } from "./block-reader.ts";
import { listDictionaryTerms, listMarkers } from "./dictionary.ts";
import { encodeTerm, Section, termListKey } from "./keys.ts";
import { eachPosition, eachPosting } from "./list.ts";
import { eachNear, eachOfLists } from "./list-ranges.ts";
import { PositionSeeker } from "./position-seeker.ts";
import { NumberBuilder, type Postings, PostingsBuilder } from "./postings.ts";

/** Positions in the requested documents: those of document number i are from `starts[i]` to `starts[i + 1]`. */
export interface Positions {
  readonly starts: Uint32Array;
  readonly positions: Uint32Array;
}

/** A posting list: the documents that have `term` in `field`. */
export interface TermInField {
  readonly term: string;
  readonly field: number;
}

/** Positions of documents this far apart are looked up one by one. */
const SEEK_DOCS = 400;

export class IndexReader {
  readonly #blocks: BlockReader;
  readonly #segments: readonly IndexSegment[];

  constructor(segments: readonly IndexSegment[], blocks: BlockReader) {
    this.#segments = segments;
    this.#blocks = blocks;
  }

  /** The documents that have a term in a field, for each of `lists`: one round trip for all of them. */
  async postings(lists: readonly TermInField[]): Promise<Postings[]> {
    const distinct = new Map(lists.map((list) => [`${list.field} ${list.term}`, list]));
    const found = new Map([...distinct.keys()].map((name) => [name, new PostingsBuilder()]));
    const builders = [...found.values()];
    const keys = Array.from(distinct.values(), ({ term, field }) =>
      termListKey(encodeTerm(term), field, Section.postings),
    );
    await eachOfLists(this.#blocks, this.#segments, keys, (entry, list) => builders[list]?.addEntry(entry));
    return lists.map(({ term, field }) => (found.get(`${field} ${term}`) as PostingsBuilder).take());
  }

  /** The language markers in the dictionary. */
  markers(): Promise<ReadonlySet<string>> {
    return listMarkers(this.#blocks, this.#segments);
  }

  /** The terms that begin with each prefix, in any field. */
  terms(prefixes: readonly string[]): Promise<string[][]> {
    return listDictionaryTerms(this.#blocks, this.#segments, prefixes);
  }

  /** Those of `terms` that `doc` has in `field`, at most `limit`. */
  async termsInDoc(terms: readonly string[], field: number, doc: number, limit: number): Promise<string[]> {
    const found: string[] = [];
    for (const term of terms) {
      if (found.length >= limit) break;
      const list = termListKey(encodeTerm(term), field, Section.postings);
      let has = false;
      await eachNear(this.#blocks, this.#near(doc), list, Uint32Array.of(doc), SEEK_DOCS, (entry) =>
        eachPosting(entry, (one) => {
          has ||= one === doc;
        }),
      );
      if (has) found.push(term);
    }
    return found;
  }

  /** A seeker over the positions of `term` in `field` of one document. */
  seekPositions(term: string, field: number, doc: number): PositionSeeker {
    const list = termListKey(encodeTerm(term), field, Section.positions);
    return new PositionSeeker(this.#blocks, this.#near(doc), list, doc);
  }

  /** The positions of `term` in `field` of `docs` (ascending). */
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

  #near(doc: number): readonly IndexSegment[] {
    return this.#segments.filter(({ first_doc, last_doc }) => first_doc <= doc && doc <= last_doc);
  }
}
