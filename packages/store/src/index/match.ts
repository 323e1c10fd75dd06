/**
 * Finds the documents of a partition that match the clauses of a query, and the frequencies that scores are computed
 * from.
 * Scores: BM25 over fields, with statistics of the scope's records only (R17). The average length is a constant, so that
 * no hidden text can change it. A steep idf makes common words count next to nothing without a stop word list.
 */
import type { QueryPhrase } from "@rungs/evidence";
import { ArrayRoom, DocSet, PAGE_DOCS, PAGE_SHIFT } from "./doc-set.ts";
import { matchPhrase } from "./match-phrase.ts";
import type { Postings } from "./postings.ts";
import type { IndexReader, ListSink, TermInField } from "./reader.ts";

/** What a clause matches in one index. */
export interface ClauseMatches {
  readonly docs: DocSet;
  readonly count: number;
  /** Its exact matches, without inflected forms; the same set if it has none. */
  readonly exact: DocSet;
  readonly exactCount: number;
  /** How often each document has it at most, as if each word of a text were in the title: of all indexes of a search, since they share no document. */
  readonly counts: DocCounts;
  /** The posting lists of its words, with the weight of an occurrence. */
  readonly lists: readonly (TermInField & { readonly weight: number })[];
  /** How often each document has its phrases. */
  readonly phrases: readonly { readonly field: number; readonly postings: Postings }[];
  /** Whether a prefix expands to more terms than were searched. */
  readonly cut: boolean;
}

/** Whether the scope covers a document and it still exists; undefined when that holds for all. */
export type Allows = ((doc: number) => boolean) | undefined;

/** A clause as an index query: single terms with the weight of an occurrence, and phrases. */
export interface IndexedClause {
  readonly words: readonly { readonly term: string; readonly weight: number }[];
  readonly phrases: readonly QueryPhrase[];
  readonly cut: boolean;
}

/** What to search: the index of a partition, its granted fields, and how many terms a prefix may stand for. */
export interface MatchContext {
  readonly reader: IndexReader;
  readonly fields: readonly { readonly number: number; readonly weight: number }[];
  readonly expansion: number;
}

/** From this many lists on, treat a clause as an expansion, whose terms are adjacent in the index. */
const MANY_LISTS = 64;
/** How many pages of counts, of 4,096 documents each, a search holds: 16 MiB. */
const COUNT_PAGES = 4_096;

/** Creates the counts of some clauses, for all indexes of an owner. */
export function createDocCounts(clauses: number): DocCounts[] {
  const room = { pages: COUNT_PAGES };
  return Array.from({ length: clauses }, () => new DocCounts(room));
}

/** The documents that match each clause. The posting lists of ordinary words are read in one round trip. */
export async function matchClauses(
  { reader, fields, expansion }: MatchContext,
  clauses: readonly IndexedClause[],
  countsOf: readonly DocCounts[],
): Promise<ClauseMatches[]> {
  const found = countsOf.map((counts) => ({ exact: new DocSet(), forms: new DocSet(), counts }));
  const sinks = clauses.map(({ words }, at) =>
    words.flatMap(({ term, weight: share }) => {
      const { exact, forms, counts } = found[at] as (typeof found)[number];
      const docs = share === 1 ? exact : forms;
      return fields.map(({ number, weight }): ListSink => ({ term, field: number, docs, counts, weight }));
    }),
  );
  await reader.collect(sinks.filter((own) => own.length < MANY_LISTS).flat());
  for (const own of sinks) if (own.length >= MANY_LISTS) await reader.collect(own, { near: true });
  const matches: ClauseMatches[] = [];
  for (const [at, { words, phrases, cut }] of clauses.entries()) {
    const { exact, forms, counts } = found[at] as (typeof found)[number];
    const matched: { field: number; postings: Postings }[] = [];
    let isCut = cut;
    for (const phrase of phrases) {
      for (const { number: field, weight } of fields) {
        const { postings, cut: ended } = await matchPhrase(reader, phrase, field, expansion);
        isCut ||= ended;
        if (postings.docs.length === 0) continue;
        matched.push({ field, postings });
        for (const [place, doc] of postings.docs.entries()) {
          exact.add(doc);
          counts.add(doc, (postings.counts[place] as number) * weight);
        }
      }
    }
    const isExact = words.every(({ weight }) => weight === 1);
    const docs = isExact ? exact : forms.unite(exact);
    const exactCount = exact.size;
    matches.push({
      docs,
      count: isExact ? exactCount : docs.size,
      exact,
      exactCount,
      counts,
      lists: words.flatMap(({ term, weight }) =>
        fields.map(({ number: field }) => ({ term, field, weight })),
      ),
      phrases: matched,
      cut: isCut,
    });
  }
  return matches;
}

/** The maximum count. */
export const MOST_COUNT = 255;

/** How many pages of counts one search of an index may hold. */
export interface CountRoom {
  pages: number;
}

/** The frequency of a clause: one byte per document, in pages allocated on demand. */
export class DocCounts {
  readonly #pages = new Map<number, Uint8ClampedArray>();
  readonly #arrays = new ArrayRoom(Uint8ClampedArray, 32 * PAGE_DOCS);
  readonly #room: CountRoom;

  constructor(room: CountRoom) {
    this.#room = room;
  }

  /** Whether there was room for all counts. */
  get isComplete(): boolean {
    return this.#room.pages >= 0;
  }

  /** Adds to the count of a document; saturates at `MOST_COUNT`, like a clamped byte array. */
  add(doc: number, count: number): void {
    this.openPage(doc >>> PAGE_SHIFT)[doc & (PAGE_DOCS - 1)]! += count;
  }

  /** The writable counts of a page, for loops over many documents. */
  openPage(number: number): Uint8ClampedArray {
    return this.#pages.get(number) ?? this.#addPage(number);
  }

  /** The counts of a page; undefined when all are 0. */
  page(number: number): Uint8ClampedArray | undefined {
    return this.#pages.get(number);
  }

  #addPage(number: number): Uint8ClampedArray {
    const page = this.#arrays.take(PAGE_DOCS);
    if (this.#room.pages > 0) this.#pages.set(number, page);
    this.#room.pages -= 1;
    if (!this.isComplete) this.#pages.clear();
    return page;
  }
}

const K1 = 0.5;
const B = 0.4;
const AVERAGE_LENGTH = 100;
/** Length normalization stops here: a book that contains the word is still an answer. */
const LONGEST = 2_000;
const IDF_POWER = 1.5;

/** The least length normalization: that of an empty field. */
export const LEAST_NORM = 1 - B;
/** The weight of coverage: a document with all the words scores up to this many times more. */
const COORDINATION = 1;

/** The weight (idf) of a clause that `matching` of `total` documents match. */
export function computeWeight(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5)) ** IDF_POWER;
}

/** The length normalization of a field of `length` terms: divides its frequencies. */
export function computeNorm(length: number): number {
  return 1 - B + (B * Math.min(length, LONGEST)) / AVERAGE_LENGTH;
}

/** The contribution of a clause of `weight` to the score of a document that matches it `frequency` times. */
export function computeContribution(weight: number, frequency: number): number {
  return (weight * frequency * (K1 + 1)) / (frequency + K1);
}

/** An upper bound of what a clause can contribute. */
export function boundContribution(weight: number): number {
  return weight * (K1 + 1);
}

/** The score of a document whose clauses add up to `sum` and weigh `covered` of `total`. */
export function computeScore(sum: number, covered: number, total: number): number {
  return total === 0 ? 0 : sum * (1 + (COORDINATION * covered) / total);
}
