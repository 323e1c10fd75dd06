import type { Embedder } from "@rungs/store";

/** The word that makes a search wait. */
export const WAIT = "waitingword";

/** An embedder that blocks searches for `WAIT`: a read that takes as long as a test needs, on any machine. */
export function createGate(): { readonly embedder: Embedder; readonly waiting: (() => void)[] } {
  const waiting: (() => void)[] = [];
  const embedder: Embedder = {
    id: "gate",
    dimensions: 64,
    baseline: 0,
    embedQuery: async (text) => (await embedder.embed([text]))[0] as Float32Array,
    async embed(texts) {
      if (texts.some((text) => text.includes(WAIT))) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return texts.map(() => new Float32Array(64));
    },
  };
  return { embedder, waiting };
}
