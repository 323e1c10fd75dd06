/** What the server puts up with. */
export interface Limits {
  /** The address and all headers of a request together. */
  readonly header_bytes: number;
  /** The body of a request. */
  readonly body_bytes: number;
  /** One line of a body, which is one record. */
  readonly line_bytes: number;
  /** How long a body may pause. */
  readonly idle_ms: number;
  /** How long an answer may be in the making. */
  readonly answer_ms: number;
  /** How many requests one token may send: at once, and in the long run. */
  readonly rate: { readonly burst: number; readonly per_second: number };
}

/** What the server puts up with unless told otherwise. */
export const limits: Limits = {
  header_bytes: 16_384,
  body_bytes: 4 * 1024 ** 3,
  line_bytes: 32 * 1024 ** 2,
  idle_ms: 30_000,
  answer_ms: 60_000,
  rate: { burst: 300, per_second: 100 },
};
