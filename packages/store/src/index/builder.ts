/**
 * Builds a segment: takes the tokens of documents in order of their numbers, and writes sorted blocks.
 * Memory is bounded: when `isFull`, the caller writes the segment and continues with the next, even in the middle of a text.
 */
import { scanTokens } from "@rungs/evidence";
import { type Block, BlockWriter } from "./blocks.ts";
import { ColumnKind, columnListKey, dictionaryKey, encodeTerm, markerKey, Section } from "./keys.ts";
import { markerTerms } from "./language-markers.ts";
import { ListWriter, type TermExtent } from "./list.ts";
import { TermTable } from "./term-table.ts";
import { TermWords, type WordSink } from "./term-words.ts";
import { grown, TokenSpans } from "./token-spans.ts";

const FULL_TOKENS = 1 << 19;
const BATCH_BLOCKS = 64;

interface Doc {
  readonly doc: number;
  readonly time_ms: number | null;
  readonly tie: number;
}

export interface BuiltSegment {
  readonly first_doc: number;
  readonly last_doc: number;
  readonly doc_count: number;
  readonly token_count: number;
}

/** A piece of a text: its offset in the whole, the end of its tokens, and the consumer of their words. */
interface TextPiece {
  readonly startUnit?: number;
  readonly endUnit?: number;
  readonly words?: WordSink | undefined;
}

export class SegmentBuilder {
  readonly #terms = new TermTable();
  readonly #termWords = new TermWords();
  #tokens = new Int32Array(1 << 14);
  #spanOf = new Int32Array(1 << 14);
  #tokenCount = 0;
  readonly #spans = new TokenSpans();
  readonly #docs: Doc[] = [];

  get isEmpty(): boolean {
    return this.#docs.length === 0 && this.#spans.count === 0;
  }

  get isFull(): boolean {
    return this.#tokenCount >= FULL_TOKENS;
  }

  /** Begins a document; its number is larger than all before. */
  addDoc(doc: Doc): void {
    this.#docs.push(doc);
  }

  /**
   * Adds text of a field, whose first token gets `firstPosition`; returns the position after its last token.
   * Tokens that begin at or after `endUnit` are left out: they belong to the next piece of the text.
   */
  addText(
    doc: number,
    field: number,
    text: string,
    firstPosition: number,
    { startUnit = 0, endUnit = text.length, words }: TextPiece = {},
  ): number {
    const firstToken = this.#tokenCount;
    const span = this.#spans.count;
    const add = (term: number) => {
      if (this.#tokenCount === this.#tokens.length) this.#grow();
      this.#tokens[this.#tokenCount] = term;
      this.#spanOf[this.#tokenCount++] = span;
    };
    scanTokens(text, {
      plain: (start, end) => {
        if (start >= endUnit) return;
        const number = this.#terms.numberOfWord(text, start, end);
        add(number);
        words?.add(this.#termWords.find(words, number, text, start, end), startUnit + start);
      },
      term: (term, start) => {
        if (start >= endUnit) return;
        const number = this.#terms.numberOfTerm(term);
        add(number);
        words?.add(this.#termWords.find(words, number, term, 0, term.length), startUnit + start);
      },
    });
    const count = this.#tokenCount - firstToken;
    if (count > 0) this.#spans.add(doc, field, firstToken, firstPosition);
    return firstPosition + count;
  }

  /** Writes the blocks of the segment and clears its content. `emit` gets them in order, a batch at a time. */
  async write(emit: (blocks: Block[]) => Promise<void>): Promise<BuiltSegment> {
    let batch: Block[] = [];
    const blocks = new BlockWriter((block) => batch.push(block));
    const lists = new ListWriter(blocks);
    const fields = this.#spansByField();
    const terms = this.#terms.sorted();
    const sorted = this.#sortTokens(fields);
    this.#writeColumns(lists, fields);
    this.#writeDictionary(lists, terms, sorted);
    this.#writeMarkers(lists);
    for (const _ of this.#writeTerms(lists, terms, sorted)) {
      if (batch.length < BATCH_BLOCKS) continue;
      await emit(batch);
      batch = [];
    }
    lists.end();
    blocks.flush();
    if (batch.length > 0) await emit(batch);
    const { count, doc } = this.#spans;
    const built = {
      first_doc: Math.min(
        this.#docs[0]?.doc ?? Number.POSITIVE_INFINITY,
        count > 0 ? (doc[0] as number) : Number.POSITIVE_INFINITY,
      ),
      last_doc: Math.max(this.#docs.at(-1)?.doc ?? 0, count > 0 ? (doc[count - 1] as number) : 0),
      doc_count: this.#docs.length,
      token_count: this.#tokenCount,
    };
    this.#terms.clear();
    this.#termWords.clear();
    this.#tokenCount = 0;
    this.#spans.count = 0;
    this.#docs.length = 0;
    return built;
  }

  #spansByField(): FieldSpans[] {
    const byField = new Map<number, number[]>();
    for (let span = 0; span < this.#spans.count; span += 1) {
      const field = this.#spans.field[span] as number;
      const spans = byField.get(field);
      if (spans) spans.push(span);
      else byField.set(field, [span]);
    }
    return [...byField].sort(([a], [b]) => a - b);
  }

  #writeColumns(lists: ListWriter, fields: readonly FieldSpans[]): void {
    lists.begin(columnListKey(ColumnKind.time, 0));
    for (const { doc, time_ms } of this.#docs)
      lists.number(doc, time_ms !== null && time_ms >= 0 ? time_ms : null);
    lists.begin(columnListKey(ColumnKind.tie, 0));
    for (const { doc, tie } of this.#docs) lists.number(doc, tie);
    const { doc, firstToken } = this.#spans;
    for (const [field, spans] of fields) {
      lists.begin(columnListKey(ColumnKind.length, field));
      for (let at = 0; at < spans.length; ) {
        const own = doc[spans[at] as number] as number;
        let length = 0;
        for (; at < spans.length && doc[spans[at] as number] === own; at += 1) {
          const span = spans[at] as number;
          length += this.#endOf(span) - (firstToken[span] as number);
        }
        lists.number(own, length);
      }
    }
    lists.begin(columnListKey(ColumnKind.timeBefore, 0));
    for (const { doc, time_ms } of this.#docs)
      if (time_ms !== null && time_ms < 0) lists.number(doc, -time_ms);
  }

  #writeDictionary(lists: ListWriter, terms: Uint32Array, { order, starts }: SortedTokens): void {
    for (const number of terms) {
      const key = dictionaryKey(
        this.#terms.bytes.subarray(this.#terms.startOf(number), this.#terms.startOf(number + 1)),
      );
      lists.term(
        key,
        key.length,
        this.#findExtent(order.subarray(starts[number] as number, starts[number + 1] as number)),
      );
    }
  }

  /** Where the tokens of a term are. Tokens of one field are in document order. */
  #findExtent(tokens: Int32Array): TermExtent {
    let [firstDoc, lastDoc] = [Number.POSITIVE_INFINITY, 0];
    const fields: number[] = [];
    for (const token of tokens) {
      const span = this.#spanOf[token] as number;
      const doc = this.#spans.doc[span] as number;
      const field = this.#spans.field[span] as number;
      if (doc < firstDoc) firstDoc = doc;
      if (doc > lastDoc) lastDoc = doc;
      if (fields.at(-1) !== field) fields.push(field);
    }
    return { firstDoc, lastDoc, fields: Uint8Array.from(fields) };
  }

  /** Must run after sorting the terms: looking a marker up adds it to the table. */
  #writeMarkers(lists: ListWriter): void {
    const known = this.#terms.size;
    for (const term of markerTerms)
      if (this.#terms.numberOfTerm(term) < known) lists.term(markerKey(encodeTerm(term)));
  }

  /** Yields after each term. */
  *#writeTerms(lists: ListWriter, terms: Uint32Array, { order, starts }: SortedTokens): Generator<void> {
    const { field } = this.#spans;
    const spanOf = this.#spanOf;
    for (const number of terms) {
      const end = starts[number + 1] as number;
      for (let from = starts[number] as number; from < end; ) {
        const own = field[spanOf[order[from] as number] as number] as number;
        let to = from + 1;
        while (to < end && field[spanOf[order[to] as number] as number] === own) to += 1;
        lists.beginTerm(this.#terms.bytes, this.#terms.startOf(number), this.#terms.startOf(number + 1), own);
        this.#writeList(lists, order, from, to);
        from = to;
      }
      yield;
    }
  }

  /** Writes the postings and the positions of a term in a field: its tokens are `from` to `to` of `order`. */
  #writeList(lists: ListWriter, order: Int32Array, from: number, to: number): void {
    const { doc: docs, shift } = this.#spans;
    const spanOf = this.#spanOf;
    lists.beginSection(Section.postings);
    for (let at = from; at < to; ) {
      const doc = docs[spanOf[order[at] as number] as number] as number;
      const first = at;
      do at += 1;
      while (at < to && docs[spanOf[order[at] as number] as number] === doc);
      lists.posting(doc, at - first);
    }
    lists.beginSection(Section.positions);
    for (let at = from; at < to; ) {
      const doc = docs[spanOf[order[at] as number] as number] as number;
      const first = at;
      do at += 1;
      while (at < to && docs[spanOf[order[at] as number] as number] === doc);
      lists.beginPositions(doc, at - first);
      for (let number = first; number < at; number += 1) {
        const token = order[number] as number;
        lists.position(token + (shift[spanOf[token] as number] as number));
      }
    }
  }

  /** Token numbers grouped by term, then by field, then in order: a counting sort. */
  #sortTokens(fields: readonly FieldSpans[]): SortedTokens {
    const starts = new Int32Array(this.#terms.size + 1);
    for (let token = 0; token < this.#tokenCount; token += 1)
      starts[(this.#tokens[token] as number) + 1]! += 1;
    for (let term = 0; term < this.#terms.size; term += 1) starts[term + 1]! += starts[term] as number;
    const order = new Int32Array(this.#tokenCount);
    const filled = starts.slice();
    for (const [, spans] of fields) {
      for (const span of spans) {
        const end = this.#endOf(span);
        for (let token = this.#spans.firstToken[span] as number; token < end; token += 1) {
          order[filled[this.#tokens[token] as number]!++] = token;
        }
      }
    }
    return { order, starts };
  }

  /** The token after the last of a span. */
  #endOf(span: number): number {
    return span + 1 < this.#spans.count ? (this.#spans.firstToken[span + 1] as number) : this.#tokenCount;
  }

  #grow(): void {
    const size = this.#tokens.length * 2;
    this.#tokens = grown(this.#tokens, new Int32Array(size));
    this.#spanOf = grown(this.#spanOf, new Int32Array(size));
  }
}

type FieldSpans = [field: number, spans: number[]];

/** Token numbers grouped by term: those of term n are from `starts[n]` to `starts[n + 1]`. */
interface SortedTokens {
  readonly order: Int32Array;
  readonly starts: Int32Array;
}
