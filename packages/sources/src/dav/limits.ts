/** Resource limits for one server. A server that exceeds one is broken or hostile: the run ends and says which one. */
export const davLimits = {
  answer_bytes: 64 * 1024 * 1024,
  collections: 1_000,
  /** Objects of one collection. */
  objects: 1_000_000,
  /** Objects in one request for their content. */
  batch_objects: 50,
  /** One calendar object or card with its pictures. */
  object_bytes: 16 * 1024 * 1024,
  /** Parts of a list that a server gives in parts. */
  list_parts: 10_000,
  /** How long the server may stay silent. */
  silence_ms: 120_000,
  /** How long the whole answer may take. */
  answer_ms: 600_000,
};
