/** What one connector may cost. A connector that exceeds a limit is ended, and the log says which one. */
export const connectorLimits = {
  /** Of a message: as long as a line that Rungs takes as a record. */
  line_bytes: 32 * 1024 ** 2,
  /** Of one upload. */
  blob_bytes: 256 * 1024 ** 2,
  records: 10_000_000,
  /** Keys in the reports on coverage, and gaps. */
  keys: 1_000_000,
  /** Of the state of one stream. */
  state_chars: 1024 ** 2,
  /** Of all its processes together. */
  memory_bytes: 2 * 1024 ** 3,
  processes: 64,
  /** Without a message, while nobody is asked anything. */
  silence_ms: 15 * 60_000,
  run_ms: 6 * 60 * 60_000,
  /** From DONE to its end. */
  exit_ms: 10_000,
  /** Until the owner has answered a question, unless the connector gives less. */
  answer_ms: 5 * 60_000,
  answer_max_ms: 60 * 60_000,
  /** Of its standard error, which is kept in its folder. */
  log_bytes: 1024 ** 2,
};

/** The limits of a connector. */
export type ConnectorLimits = Readonly<typeof connectorLimits>;
