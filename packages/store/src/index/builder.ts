/**
 * Builds a run: takes the tokens of documents in order of their numbers, and writes sorted blocks.
 * Memory is bounded: when `isFull`, the caller writes the run out and goes on, even in the middle of a text.
 */
import { eachToken } from "@rungs/evidence";
import { type Block, BlockWriter } from "./block.ts";
import { Column, Section, columnListKey, encodeTerm, termListKey } from "./keys.ts";
import { ListWriter } from "./list.ts";
import { hasAstral, compareCodePoints } from "./term-order.ts";

const FULL_TOKENS = 1 << 19;

interface Doc {
  readonly doc: number;
  readonly time_ms: number | null;
  readonly tie: number;
}

/** A stretch of tokens of one field of one document, with positions that count up. */
interface Segment {
  readonly doc: number;
  readonly field: number;
  readonly firstToken: number;
  readonly firstPosition: number;
}

export interface BuiltRun {
  readonly first_doc: number;
  readonly last_doc: number;
  readonly doc_count: number;
  readonly token_count: number;
}

export class RunBuilder {
  /** Term numbers by field, so that a field's lists are found without looking at others. */
  readonly #terms: Map<string, number>[] = [];
  #termCount = 0;
  #tokens = new Int32Array(1 << 14);
  #segmentOf = new Int32Array(1 << 14);
  #tokenCount = 0;
  readonly #segments: Segment[] = [];
  readonly #docs: Doc[] = [];

  get isEmpty(): boolean {
    return this.#docs.length === 0 && this.#segments.length === 0;
  }

  get isFull(): boolean {
    return this.#tokenCount >= FULL_TOKENS;
  }

  /** Begins a document; its number is larger than all before. */
  addDoc(doc: Doc): void {
    this.#docs.push(doc);
  }

  /** Adds text of a field, whose first token gets `firstPosition`; returns the position after its last token. */
  addText(doc: number, field: number, text: string, firstPosition: number, countsBefore?: number): number {
    const terms = (this.#terms[field] ??= new Map());
    const segment = this.#segments.length;
    this.#segments.push({ doc, field, firstToken: this.#tokenCount, firstPosition });
    const before = this.#tokenCount;
    eachToken(text, (term, startUnit) => {
      if (countsBefore !== undefined && startUnit >= countsBefore) return;
      let number = terms.get(term);
      if (number === undefined) {
        number = this.#termCount++;
        terms.set(term, number);
      }
      if (this.#tokenCount === this.#tokens.length) this.#grow();
      this.#tokens[this.#tokenCount] = number;
      this.#segmentOf[this.#tokenCount++] = segment;
    });
    return firstPosition + this.#tokenCount - before;
  }

  /** Writes the blocks of the run and forgets its content. */
  write(emit: (block: Block) => void): BuiltRun {
    const blocks = new BlockWriter(emit);
    const lists = new ListWriter(blocks);
    this.#writeColumns(lists);
    this.#writeTerms(lists);
    lists.end();
    blocks.flush();
    const run = {
      first_doc: this.#docs[0]?.doc ?? (this.#segments[0] as Segment).doc,
      last_doc: Math.max(this.#docs.at(-1)?.doc ?? 0, this.#segments.at(-1)?.doc ?? 0),
      doc_count: this.#docs.length,
      token_count: this.#tokenCount,
    };
    const firstSegment = this.#segments[0];
    if (firstSegment && firstSegment.doc < run.first_doc) run.first_doc = firstSegment.doc;
    this.#terms.length = 0;
    this.#termCount = 0;
    this.#tokenCount = 0;
    this.#segments.length = 0;
    this.#docs.length = 0;
    return run;
  }

  #writeColumns(lists: ListWriter): void {
    lists.begin(columnListKey(Column.time, 0));
    for (const { doc, time_ms } of this.#docs) lists.number(doc, time_ms === null ? null : zigzag(time_ms));
    lists.begin(columnListKey(Column.tie, 0));
    for (const { doc, tie } of this.#docs) lists.number(doc, tie);
    for (let field = 0; field < this.#terms.length; field += 1) {
      if (this.#terms[field]) this.#writeLengths(lists, field);
    }
  }

  #writeLengths(lists: ListWriter, field: number): void {
    lists.begin(columnListKey(Column.length, field));
    this.#segments.forEach((segment, number) => {
      if (segment.field !== field) return;
      const end = this.#segments[number + 1]?.firstToken ?? this.#tokenCount;
      if (end > segment.firstToken) lists.number(segment.doc, end - segment.firstToken);
    });
  }

  #writeTerms(lists: ListWriter): void {
    const { order, starts } = this.#sortTokens();
    const docs: number[] = [];
    const ends: number[] = [];
    const positions: number[] = [];
    for (const [term, fields] of this.#sortTerms()) {
      const bytes = encodeTerm(term);
      for (const [field, number] of fields) {
        docs.length = ends.length = positions.length = 0;
        for (let at = starts[number] as number; at < (starts[number + 1] as number); at += 1) {
          const token = order[at] as number;
          const segment = this.#segments[this.#segmentOf[token] as number] as Segment;
          if (docs.at(-1) !== segment.doc) {
            docs.push(segment.doc);
            ends.push(0);
          }
          positions.push(segment.firstPosition + token - segment.firstToken);
          ends[ends.length - 1] = positions.length;
        }
        lists.begin(termListKey(bytes, field, Section.postings));
        for (let at = 0; at < docs.length; at += 1) {
          lists.posting(docs[at] as number, (ends[at] as number) - (at === 0 ? 0 : (ends[at - 1] as number)));
        }
        lists.begin(termListKey(bytes, field, Section.positions));
        for (let at = 0; at < docs.length; at += 1) {
          lists.positions(docs[at] as number, positions, at === 0 ? 0 : (ends[at - 1] as number), ends[at] as number);
        }
      }
    }
  }

  /** Token numbers grouped by term, each group in order: a counting sort. */
  #sortTokens(): { order: Int32Array; starts: Int32Array } {
    const starts = new Int32Array(this.#termCount + 1);
    for (let token = 0; token < this.#tokenCount; token += 1) {
      const next = (this.#tokens[token] as number) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
    for (let term = 0; term < this.#termCount; term += 1) {
      starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
    }
    const order = new Int32Array(this.#tokenCount);
    const filled = starts.slice();
    for (let token = 0; token < this.#tokenCount; token += 1) {
      const term = this.#tokens[token] as number;
      const at = filled[term] as number;
      order[at] = token;
      filled[term] = at + 1;
    }
    return { order, starts };
  }

  /** Terms in the order of their bytes, each with the fields that have it. */
  #sortTerms(): Map<string, [field: number, number: number][]> {
    const all = new Set<string>();
    let astral = false;
    for (const terms of this.#terms) {
      if (!terms) continue;
      for (const term of terms.keys()) {
        all.add(term);
        astral ||= hasAstral(term);
      }
    }
    const sorted = [...all].sort(astral ? compareCodePoints : undefined);
    const fieldsOf = new Map<string, [number, number][]>();
    for (const term of sorted) {
      const fields: [number, number][] = [];
      for (let field = 0; field < this.#terms.length; field += 1) {
        const number = this.#terms[field]?.get(term);
        if (number !== undefined) fields.push([field, number]);
      }
      fieldsOf.set(term, fields);
    }
    return fieldsOf;
  }

  #grow(): void {
    const size = this.#tokens.length * 2;
    const tokens = new Int32Array(size);
    tokens.set(this.#tokens);
    this.#tokens = tokens;
    const segments = new Int32Array(size);
    segments.set(this.#segmentOf);
    this.#segmentOf = segments;
  }
}

/** Signed to unsigned, small stays small. */
export function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

export function unzigzag(value: number): number {
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}
