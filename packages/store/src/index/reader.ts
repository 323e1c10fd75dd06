/**
 * Reads a partition's lists and dictionary from its segments, limited to the fields and documents of a scope: blocks and entries without a
 * document of the scope are not read or not decoded.
 */
import {
  BlockCursor,
  type BlockReader,
  compareBytes,
  type IndexSegment,
  type IndexSource,
  readRounds,
} from "./blocks.ts";
import type { DocFilter, DocSet } from "./doc-set.ts";
import {
  afterPrefix,
  compareTerms,
  dictionaryKey,
  encodeTerm,
  markerKey,
  readDictionaryTerm,
  Section,
  termListKey,
} from "./keys.ts";
import { addDocs, eachPosition, eachPosting, type ListEntry, type PostingSink, readExtent } from "./list.ts";
import { eachNear, eachOfLists, scanLists } from "./list-ranges.ts";
import { PositionSeeker } from "./position-seeker.ts";
import { HeldLists, PostingCursor } from "./posting-cursor.ts";
import { NumberBuilder } from "./postings.ts";

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

/** A posting list, and the consumer of its documents. */
export interface ListSink extends TermInField, PostingSink {}

/**
 * Which terms of the dictionary to list. Even so, a listed term's documents may all be deleted or outside the filter.
 */
interface TermFilter {
  /** Terms that some of these fields may have; undefined for any field. */
  readonly fields?: ReadonlySet<number> | undefined;
  /** Terms that some of these documents may have; undefined for any document. */
  readonly docs?: DocFilter | undefined;
}

/** Postings and positions of documents this far apart are looked up one by one. */
const SEEK_DOCS = 400;
/** How many lists to look up in a document at a time. */
const LOOKUP_LISTS = 64;

export class IndexReader {
  readonly #source: IndexSource;
  readonly #filter: DocFilter | undefined;
  readonly #held = new HeldLists();

  constructor(segments: readonly IndexSegment[], blocks: BlockReader, filter?: DocFilter) {
    this.#source = { segments, blocks };
    this.#filter = filter;
  }

  get filter(): DocFilter | undefined {
    return this.#filter;
  }

  /** Adds the documents of each list to its set, and keeps those that `filter` has. `near`: the lists are of neighbouring terms. */
  async collect(
    sinks: readonly ListSink[],
    { filter = this.#filter, near = false }: { filter?: DocFilter | undefined; near?: boolean } = {},
  ): Promise<void> {
    const keys = sinks.map(({ term, field }) => postingsKey(term, field));
    const names = sinks.map(nameOf);
    const holds = names.map((name) => filter === this.#filter && this.#held.begin(name));
    const visit = (entry: ListEntry, at: number) => {
      const held = holds[at] ? this.#held.add(names[at] as string, entry) : undefined;
      this.spend(addDocs(held ?? entry, sinks[at] as ListSink));
    };
    if (near) await scanLists(this.#source, keys, filter, visit);
    else await eachOfLists(this.#source, keys, filter, visit);
    for (const docs of new Set(sinks.map((one) => one.docs))) filter?.limit(docs);
  }

  /** Whether the scope has each of the lists. Ends at the first document of each. */
  async present(lists: readonly TermInField[]): Promise<boolean[]> {
    const found = lists.map(() => false);
    await eachOfLists(
      this.#source,
      lists.map(({ term, field }) => postingsKey(term, field)),
      this.#filter,
      (entry, at) =>
        eachPosting(entry, (doc) => {
          if (this.#filter?.has(doc) ?? true) found[at] = true;
        }),
      (at) => found[at] as boolean,
    );
    return found;
  }

  /** Cursors over lists, for `docs` (ascending) and all that `collect` has read. */
  async cursors(lists: readonly TermInField[], docs: Uint32Array): Promise<PostingCursor[]> {
    const held = lists.map((list) => this.#held.get(nameOf(list)));
    const missing = lists.map((_, at) => at).filter((at) => !held[at]);
    const read = new Map<number, ListEntry[]>(missing.map((at) => [at, []]));
    await eachNear(
      this.#source,
      missing.map((at) => postingsKey((lists[at] as TermInField).term, (lists[at] as TermInField).field)),
      docs,
      SEEK_DOCS,
      (entry, number) => read.get(missing[number] as number)?.push(entry),
    );
    return lists.map((_, at) => new PostingCursor(held[at] ?? (read.get(at) as ListEntry[])));
  }

  /** Whether cursors of these lists need no further reading, whatever the documents. */
  holds(lists: readonly TermInField[]): boolean {
    return lists.every((list) => this.#held.has(nameOf(list)));
  }

  /** Counts decoded postings and positions. */
  spend(decoded: number): void {
    this.#source.blocks.budget?.spend("postings", decoded);
  }

  /** The language markers in the dictionary. */
  async markers(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    await eachTerm(this.#source, [markerKey()], {}, (term) => found.add(term));
    return found;
  }

  /** The distinct terms that begin with each of `prefixes` and fit the filter, in byte order. */
  async terms(prefixes: readonly string[], filter: TermFilter = { docs: this.#filter }): Promise<string[][]> {
    const found = prefixes.map(() => new Set<string>());
    const keys = prefixes.map((prefix) => dictionaryKey(encodeTerm(prefix)));
    await eachTerm(this.#source, keys, filter, (term, number) => found[number]?.add(term));
    return found.map((terms) => [...terms].sort(compareTerms));
  }

  /** Those of `terms` that `doc` has in `field`, at most `limit`. */
  async termsInDoc(terms: readonly string[], field: number, doc: number, limit: number): Promise<string[]> {
    const found: string[] = [];
    const docs = Uint32Array.of(doc);
    for (let start = 0; start < terms.length && found.length < limit; start += LOOKUP_LISTS) {
      const some = terms.slice(start, start + LOOKUP_LISTS);
      const lists = some.map((term) => postingsKey(term, field));
      const has = new Set<number>();
      await eachNear(this.#near(doc), lists, docs, SEEK_DOCS, (entry, number) =>
        eachPosting(entry, (one) => {
          if (one === doc) has.add(number);
        }),
      );
      found.push(...some.filter((_, number) => has.has(number)));
    }
    return found.slice(0, limit);
  }

  /** A seeker over the positions of `term` in `field` of one document. */
  seekPositions(term: string, field: number, doc: number): PositionSeeker {
    const { blocks, segments } = this.#near(doc);
    return new PositionSeeker(blocks, segments, positionsKey(term, field), doc);
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
    await eachNear(this.#source, [positionsKey(term, field)], docs, SEEK_DOCS, (entry) =>
      this.spend(eachPosition(entry, wants, (_doc, position) => positions.add(position))),
    );
    while (at < docs.length) starts[++at] = positions.length;
    return { starts, positions: positions.take() };
  }

  /**
   * Visits the positions of neighbouring terms in `field` of `docs`, segment by segment; `number` is the index in `terms`.
   * Entries without one of the documents are not decoded.
   */
  async eachPositionOf(
    terms: readonly string[],
    field: number,
    docs: DocSet,
    visit: (number: number, doc: number, position: number) => void,
  ): Promise<void> {
    const keys = terms.map((term) => positionsKey(term, field));
    const wants = (doc: number) => docs.has(doc);
    await scanLists(this.#source, keys, docs, (entry, number) =>
      this.spend(eachPosition(entry, wants, (doc, position) => visit(number, doc, position))),
    );
  }

  #near(doc: number): IndexSource {
    const { blocks, segments } = this.#source;
    return { blocks, segments: segments.filter((one) => one.first_doc <= doc && doc <= one.last_doc) };
  }
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

function nameOf({ term, field }: TermInField): string {
  return `${field} ${term}`;
}

function postingsKey(term: string, field: number): Uint8Array {
  return termListKey(encodeTerm(term), field, Section.postings);
}

function positionsKey(term: string, field: number): Uint8Array {
  return termListKey(encodeTerm(term), field, Section.positions);
}
