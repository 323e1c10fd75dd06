/** Embeds through an OpenAI-compatible service: Ollama, llama.cpp, LM Studio, or one beyond this machine (R65). */
import { createHash } from "node:crypto";
import type { EmbeddingEndpoint } from "../port/embeddings.ts";
import { type Embedder, EmbedderError } from "./embedder.ts";
import { mayReceiveText } from "./endpoint-address.ts";
import type { EndpointRequest } from "./endpoint-request.ts";
import { normalise } from "./vector-rows.ts";

/** How many passages one request has. */
const REQUEST_TEXTS = 32;
/** The first call may load a model. */
const TIMEOUT_MS = 60_000;
const QUERY_TIMEOUT_MS = 3_000;
/**
 * Circuit breaker: how long to skip the service after a failed query, so that other searches do not wait for it too.
 */
const REST_MS = 15_000;
const QUERIES_HELD = 256;
/** A text that the service refuses is cut in half until it has fewer characters than this. */
const LEAST_CHARS = 64;
/**
 * Texts about different things, whose average cosine is the baseline of similarity. The first one also tests the
 * service.
 */
const UNRELATED = [
  "The train to the coast leaves at noon from platform four.",
  "Whisk the eggs with sugar until the mixture is pale.",
  "The court dismissed the appeal on procedural grounds.",
  "Photosynthesis converts light into chemical energy.",
  "Please renew your library card before the end of June.",
  "The goalkeeper saved two penalties in the final.",
  "Our invoice for the roof repair is attached.",
  "She tuned the old violin before the rehearsal.",
];

type RequestLimits = Pick<EndpointRequest, "timeoutMs" | "signal">;
type Address = Omit<EmbeddingEndpoint, "dimensions" | "baseline">;

/** Asks a service for its first vectors: they give the dimensions and the baseline. */
export async function probeEndpoint(address: Address): Promise<EmbeddingEndpoint> {
  const vectors = await requestVectors(address, UNRELATED, { timeoutMs: TIMEOUT_MS });
  const dimensions = vectors[0]?.length ?? 0;
  let sum = 0;
  let pairs = 0;
  for (const [at, vector] of vectors.entries()) {
    requireDimensions(vector, dimensions);
    for (const other of vectors.slice(at + 1)) {
      sum += vector.reduce((total, value, place) => total + value * (other[place] as number), 0);
      pairs += 1;
    }
  }
  return { ...address, dimensions, baseline: Math.min(0.95, Math.max(0, sum / pairs)) };
}

export function createEndpointEmbedder(endpoint: EmbeddingEndpoint): Embedder {
  const { url, model, dimensions, baseline } = endpoint;
  const identity = createHash("sha256").update(`${url}\n${model}`).digest("hex").slice(0, 16);
  const queries = new Map<string, Float32Array>();
  let restUntil = 0;

  async function request(texts: readonly string[], limits: RequestLimits): Promise<Float32Array[]> {
    const vectors = await requestVectors(endpoint, texts, limits);
    for (const vector of vectors) requireDimensions(vector, dimensions);
    return vectors;
  }

  /** Isolates the texts that the service refuses, as long as it accepts others. */
  async function embedSome(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const limits = { timeoutMs: TIMEOUT_MS, signal };
    try {
      return await request(texts, limits);
    } catch (error) {
      if (!(error instanceof EmbedderError && error.isAboutTexts)) throw error;
    }
    const [text = ""] = texts;
    if (texts.length > 1) {
      const half = texts.length >> 1;
      return [
        ...(await embedSome(texts.slice(0, half), signal)),
        ...(await embedSome(texts.slice(half), signal)),
      ];
    }
    await request(UNRELATED.slice(0, 1), limits);
    if (text.length < LEAST_CHARS) return [new Float32Array(dimensions)];
    return embedSome([text.slice(0, text.length >> 1)], signal);
  }

  return {
    id: `endpoint-${identity}-${dimensions}`,
    dimensions,
    baseline,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += REQUEST_TEXTS)
        vectors.push(...(await embedSome(texts.slice(start, start + REQUEST_TEXTS), signal)));
      return vectors;
    },
    async embedQuery(text) {
      const known = queries.get(text);
      if (known) return known;
      if (performance.now() < restUntil)
        throw new EmbedderError("The embedding service failed a moment ago.");
      try {
        const [vector] = await request([text], { timeoutMs: QUERY_TIMEOUT_MS });
        if (queries.size >= QUERIES_HELD) queries.clear();
        queries.set(text, vector as Float32Array);
        return vector as Float32Array;
      } catch (error) {
        restUntil = performance.now() + REST_MS;
        throw error;
      }
    },
  };
}

async function requestVectors(
  address: Address,
  texts: readonly string[],
  limits: RequestLimits,
): Promise<Float32Array[]> {
  const { url, model, key_env } = address;
  if (!mayReceiveText(address))
    throw new EmbedderError("The owner did not consent to send text to this host.");
  const key = key_env === undefined ? undefined : process.env[key_env];
  if (key_env !== undefined && !key)
    throw new EmbedderError(`The environment variable ${key_env} has no key for the embedding service.`);
  // Node's HTTP modules take longer to load than a short command to run.
  const { postJson } = await import("./endpoint-request.ts");
  const answer = await postJson({ url, key, ...limits }, { model, input: texts, encoding_format: "float" });
  return readVectors(answer, texts.length);
}

/** The vectors of an answer in the order of the texts, brought to length 1. */
function readVectors(answer: unknown, count: number): Float32Array[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [place, item] of (Array.isArray(data) ? data : []).entries()) {
    const { embedding, index = place } = (item ?? {}) as { embedding?: unknown; index?: unknown };
    if (!Array.isArray(embedding) || typeof index !== "number" || !(index in vectors)) continue;
    if (embedding.length > 0 && embedding.every((value) => Number.isFinite(value)))
      vectors[index] = normalise(embedding as number[]);
  }
  if (vectors.some((vector) => vector === undefined))
    throw new EmbedderError("The embedding service does not answer with a vector of numbers for each text.", {
      isAboutTexts: true,
    });
  return vectors as Float32Array[];
}

function requireDimensions({ length }: Float32Array, wanted: number): void {
  if (length !== wanted)
    throw new EmbedderError(
      `The embedding service answers with ${length} dimensions instead of ${wanted}: choose it again.`,
    );
}
