import { ApiError } from "@rungs/contract";

/** Limits on what an archive may unpack to. */
export interface ZipLimits {
  readonly total_bytes: number;
  /** How many times larger than the archive its content may be, once it is larger than `ratio_from_bytes`. */
  readonly ratio: number;
  readonly ratio_from_bytes: number;
  readonly entries: number;
}

/** Exports of mail and chat compress 3 to 30 times; the maximum of deflate is 1,032. */
export const zipLimits: ZipLimits = {
  total_bytes: 1024 ** 4,
  ratio: 200,
  ratio_from_bytes: 256 * 1024 ** 2,
  entries: 500_000,
};

/** What an archive declares about itself. Reading enforces the declared size of each entry. */
export interface ZipFacts {
  readonly name: string;
  readonly archive_bytes: number;
  readonly total_bytes: number;
  readonly entries: number;
}

/** Refuses a zip bomb before any of it is unpacked. */
export function requireSafeSize(facts: ZipFacts, limits: ZipLimits): void {
  const { name, archive_bytes, total_bytes, entries } = facts;
  if (entries > limits.entries) throw refuse(name, `it has more than ${limits.entries} entries`);
  if (total_bytes > limits.total_bytes)
    throw refuse(name, `it unpacks to more than ${limits.total_bytes} bytes`);
  if (total_bytes > limits.ratio_from_bytes && total_bytes > archive_bytes * limits.ratio) {
    throw refuse(name, `it unpacks to more than ${limits.ratio} times its size`);
  }
}

function refuse(name: string, why: string): ApiError {
  return new ApiError("archive_refused", { message: `${name} is refused: ${why}.` });
}
