/** What one server may cost. A server that exceeds a limit is broken or hostile: the run ends and says which one. */
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
  /** Without a byte from the server. */
  silence_ms: 120_000,
  /** Until the whole answer has come. */
  answer_ms: 600_000,
};
