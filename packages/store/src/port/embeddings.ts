/** Types for choosing what compares texts by meaning, and for tracking its progress. */

/** What the owner chooses: the built-in word vectors, a service, or nothing. */
export type EmbeddingChoice =
  | { readonly kind: "builtin" | "off" }
  | {
      readonly kind: "endpoint";
      /** The address of an OpenAI-compatible service; `/v1/embeddings` is added where it is missing. */
      readonly url: string;
      readonly model: string;
      /** The environment variable that holds the service's key. The key itself is never stored. */
      readonly key_env?: string | undefined;
      /** The owner's consent that text leaves this machine: the host of `url`. Not needed on loopback (R65). */
      readonly send_text_to?: string | undefined;
    };

/** A working service, and the facts from its first answer. */
export interface EmbeddingEndpoint {
  readonly url: string;
  readonly model: string;
  readonly key_env?: string | undefined;
  /** Absent on loopback. */
  readonly consent?: { readonly host: string; readonly at: string } | undefined;
  readonly dimensions: number;
  /** The average cosine of texts about different things. */
  readonly baseline: number;
}

/** What compares texts by meaning, and how many records have vectors. */
export interface EmbeddingStatus {
  readonly kind: EmbeddingChoice["kind"];
  readonly endpoint?: EmbeddingEndpoint | undefined;
  readonly record_count: number;
  readonly embedded_count: number;
  /** Why the service returned no vectors at the last attempt. */
  readonly failure?: { readonly message: string; readonly at: string } | undefined;
}

/** The limits of one step, and the signal that ends it early. */
export interface EmbedLimits {
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One bounded step of embedding; `busy`: another process is embedding. */
export type EmbedStep =
  | { readonly state: "off" | "complete" | "busy" }
  | { readonly state: "progress"; readonly record_count: number };

/** What compares texts by meaning. */
export interface EmbeddingStore {
  /** Chooses what compares texts by meaning. A service is tried first; `off` also deletes the vectors. */
  chooseEmbeddings(owner_id: string, choice: EmbeddingChoice): Promise<void>;
  describeEmbeddings(owner_id: string): Promise<EmbeddingStatus>;
  /**
   * Embeds the next few records of which the chosen model has no vectors, or deletes some vectors of former models once it has
   * them all. `worker` names the process; only one embeds at a time. Throws `embeddings_unavailable`.
   */
  embedNext(owner_id: string, worker: string, limits?: EmbedLimits): Promise<EmbedStep>;
}
