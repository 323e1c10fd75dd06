import assert from "node:assert/strict";
import { test } from "node:test";
import { createSimilarity, quantise } from "./vector-rows.ts";
import { staticEmbedder } from "./word-vectors.ts";

async function compare(a: string, b: string): Promise<number> {
  const [query, passage] = await staticEmbedder.embed([a, b]);
  return createSimilarity(query as Float32Array)(quantise(passage as Float32Array), 0);
}

test("a quantised vector keeps its direction", async () => {
  assert.ok((await compare("The river broke its banks", "the RIVER broke its banks!")) > 0.97);
});

test("texts about the same topic are nearer than others", async () => {
  const near = await compare("doctor appointment", "The physician will see you at the clinic");
  const far = await compare("doctor appointment", "Our train to the coast leaves at noon");
  assert.ok(near > far + 0.2, `${near} ${far}`);
});

test("a text without known words has no vector, an odd number of dimensions works", async () => {
  const [vector] = await staticEmbedder.embed(["東京 qqqzzzx"]);
  assert.ok(vector?.every((value) => value === 0));
  const odd = Float32Array.of(0.6, 0, -0.8);
  assert.ok(createSimilarity(odd)(quantise(odd), 0) > 0.99);
});
