/** Turns text into vectors that are near each other when the texts are about the same thing. */
export interface Embedder {
  /** Names the model; stored with every vector, since vectors of different models cannot be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** A vector of length 1 for each text; all zeros for a text of which nothing is known. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}
