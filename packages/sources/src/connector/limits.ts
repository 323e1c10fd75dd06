/** Resource limits of one connector. A connector that exceeds a limit is killed, and the log says which one. */
export const connectorLimits = {
  /** The longest message: as long as a line that Rungs accepts as a record. */
  line_bytes: 32 * 1024 ** 2,
  /** Of one upload. */
  blob_bytes: 256 * 1024 ** 2,
  records: 10_000_000,
  /** Keys in the reports on coverage, and gaps. */
  keys: 1_000_000,
  /** Of the state of one stream. */
  state_chars: 1024 ** 2,
  /** The memory of all its processes together. */
  memory_bytes: 2 * 1024 ** 3,
  processes: 64,
  /** How long it may send no message, while no question is open. */
  silence_ms: 15 * 60_000,
  run_ms: 6 * 60 * 60_000,
  /** From DONE to its exit. */
  exit_ms: 10_000,
  /** How long the owner has to answer a question, unless the connector allows less. */
  answer_ms: 5 * 60_000,
  answer_max_ms: 60 * 60_000,
  /** How much of its standard error is kept, in its folder. */
  log_bytes: 1024 ** 2,
};

/** The limits of a connector. */
export type ConnectorLimits = Readonly<typeof connectorLimits>;
