/** The limits of the server. */
export interface Limits {
  /** The URL and all headers of a request together. */
  readonly header_bytes: number;
  /** The body of a request. */
  readonly body_bytes: number;
  /** One line of a body, which is one record. */
  readonly line_bytes: number;
  /** How long a body may pause. */
  readonly idle_ms: number;
  /** How long an operation may take to produce its answer; uploads are exempt. */
  readonly answer_ms: number;
  /** How long a stream, such as an export, may last. */
  readonly stream_ms: number;
  /** How often to poll a watched stream. */
  readonly watch_ms: number;
  /** The rate limit of one grant, and of each token of the owner. */
  readonly rate: { readonly burst: number; readonly per_second: number };
  /**
   * Per grant: how many requests may be in flight, how many streams open, how many watched, and how many requests may
   * queue.
   */
  readonly share: {
    readonly requests: number;
    readonly streams: number;
    readonly watches: number;
    readonly waiting: number;
  };
}

/** The default limits. */
export const limits: Limits = {
  header_bytes: 16_384,
  body_bytes: 4 * 1024 ** 3,
  line_bytes: 32 * 1024 ** 2,
  idle_ms: 30_000,
  answer_ms: 60_000,
  stream_ms: 2 * 60 * 60 * 1000,
  watch_ms: 2_000,
  rate: { burst: 300, per_second: 100 },
  share: { requests: 4, streams: 2, watches: 16, waiting: 64 },
};
