/** Embeds the passages of a text by the words that the index finds in it, so that a text is read once. */
import { countChars } from "@rungs/evidence";
import type { WordSink } from "../index/term-words.ts";
import type { WordEmbedder } from "./embedder.ts";
import { findPassageEnd, PASSAGE_UNITS } from "./passages.ts";

/** Receives a passage in code points, and its vector, which the next passage overwrites. */
export type PassageTaker = (start_chars: number, end_chars: number, vector: Float32Array) => void;

export class PassageWords implements WordSink {
  readonly #embedder: WordEmbedder;
  readonly #words = new Uint32Array(PASSAGE_UNITS);
  #wordCount = 0;
  #text = "";
  #take: PassageTaker = () => undefined;
  #start = 0;
  #end = 0;
  #start_chars = 0;
  /** Whether a token may cross the cut before the passage, or the one after it. */
  #crossed = { before: false, after: false };

  constructor(embedder: WordEmbedder) {
    this.#embedder = embedder;
  }

  /** Begins a text, whose tokens follow. */
  begin(text: string, take: PassageTaker): void {
    this.#text = text;
    this.#take = take;
    this.#end = 0;
    this.#start_chars = 0;
    this.#crossed = { before: false, after: false };
    this.#next();
  }

  find(text: string, start: number, end: number): number {
    return this.#embedder.find(text, start, end);
  }

  add(word: number, startUnit: number): void {
    while (startUnit >= this.#end) this.#close();
    if (word >= 0) this.#words[this.#wordCount++] = word;
  }

  /** Ends the text: its other passages have no more tokens. */
  end(): void {
    while (this.#start < this.#text.length) this.#close();
    this.#text = "";
  }

  /**
   * Embeds the passage and begins the next. If its end cuts a token, the index found a different word from the
   * passage's.
   */
  #close(): void {
    const piece = this.#text.slice(this.#start, this.#end);
    const { before, after } = this.#crossed;
    const vector =
      before || after ? this.#embedder.embedText(piece) : this.#embedder.addUp(this.#words, this.#wordCount);
    const end_chars = this.#start_chars + countChars(piece);
    this.#take(this.#start_chars, end_chars, vector);
    this.#start_chars = end_chars;
    this.#next();
  }

  #next(): void {
    this.#start = this.#end;
    this.#wordCount = 0;
    if (this.#start >= this.#text.length) return;
    const { end, isClean } = findPassageEnd(this.#text, this.#start);
    this.#end = end;
    this.#crossed = { before: this.#crossed.after, after: !isClean };
  }
}
