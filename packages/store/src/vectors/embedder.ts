/** The interface of embedders. */

/** Turns text into vectors that are near each other when the texts are about the same thing. */
export interface Embedder {
  /** Names the model; stored with every vector, since vectors of different models cannot be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** Set if a record gets its vectors in the transaction that writes it. Otherwise they follow in the background. */
  readonly words?: WordEmbedder;
  /** The cosine that texts about different things have on average: similarity counts from there. */
  readonly baseline: number;
  /** A vector of length 1 for each text; all zeros for a text without a known word. Throws `EmbedderError`. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** The vector of a query, within interactive latency. Throws `EmbedderError`. */
  embedQuery(text: string): Promise<Float32Array>;
}

/** Embeds a text as the sum of its words, which the index has found already. */
export interface WordEmbedder {
  /** The number of the word at `start` to `end` of a text, whatever its case; -1 when it has no vector. */
  find(text: string, start: number, end: number): number;
  /** The vector of a text with these words, the first `count` of the array, in their order; written to `vector` if given. */
  addUp(words: Uint32Array, count: number, vector?: Float32Array): Float32Array;
  embedText(text: string): Float32Array;
}

/** Why an embedding service gave no vectors. The message never contains the service's answer, a text or a key. */
export class EmbedderError extends Error {
  /** Whether the texts may be at fault, such as one that is too long, rather than the service. */
  readonly isAboutTexts: boolean;

  constructor(
    message: string,
    { isAboutTexts = false, cause }: { isAboutTexts?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = "EmbedderError";
    this.isAboutTexts = isAboutTexts;
  }
}
